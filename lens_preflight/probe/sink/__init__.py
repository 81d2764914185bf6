"""An OTLP receiver that keeps what it gets in memory, for tests, demonstrations and rehearsals."""
