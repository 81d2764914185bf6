"""What the OpenTelemetry SDK and its OTLP exporters make of an environment."""
