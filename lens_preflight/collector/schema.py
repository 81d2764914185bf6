"""The keys of common components with their types, as the collector decodes them.

Read off a 0.148 build: each key was offered to its validate. A component that is not here is not known.
A type is text, switch, whole, count (not negative), number, time, texts (a list), list, labels (texts by
name), a shape (``@name``), or a list of one (``list@name``); a key without one takes anything.
"""

from __future__ import annotations

KNOWN_FOR = (0, 148)
"""The version that the keys belong to; earlier ones have had others, later ones may have more."""


def _keys(words: str) -> dict[str, str]:
    return {key: kind for key, _, kind in (word.partition(":") for word in words.split())}


SHAPES: dict[str, dict[str, str]] = {
    "connectors/spanmetrics": _keys(
        "add_resource_attributes:switch aggregation_cardinality_limit:whole aggregation_temporality:text "
        "calls_dimensions:list@connectors/spanmetrics/calls_dimensions* "
        "dimensions:list@connectors/spanmetrics/calls_dimensions* dimensions_cache_size:whole "
        "enable_metrics_sampling_method:switch events:@connectors/spanmetrics/events exclude_dimensions:texts "
        "exemplars:@connectors/spanmetrics/exemplars histogram:@connectors/spanmetrics/histogram "
        "include_instrumentation_scope:texts metric_timestamp_cache_size:whole metrics_expiration:time "
        "metrics_flush_interval:time namespace:text resource_metrics_cache_size:whole "
        "resource_metrics_key_attributes:texts"
    ),
    "connectors/spanmetrics/calls_dimensions*": _keys("default:text name:text"),
    "connectors/spanmetrics/events": _keys(
        "dimensions:list@connectors/spanmetrics/calls_dimensions* enabled:switch"
    ),
    "connectors/spanmetrics/exemplars": _keys("enabled:switch max_per_data_point:whole"),
    "connectors/spanmetrics/histogram": _keys(
        "dimensions:list@connectors/spanmetrics/calls_dimensions* disable:switch "
        "explicit:@connectors/spanmetrics/histogram/explicit "
        "exponential:@connectors/spanmetrics/histogram/exponential unit"
    ),
    "connectors/spanmetrics/histogram/explicit": _keys("buckets:list enabled:switch"),
    "connectors/spanmetrics/histogram/exponential": _keys("enabled:switch max_size:whole"),
    "exporters/debug": _keys(
        "output_paths:texts sampling_initial:whole sampling_thereafter:whole "
        "sending_queue:@exporters/otlp/sending_queue use_internal_logger:switch verbosity"
    ),
    "exporters/file": _keys(
        "append:switch compression:text create_directory:switch directory_permissions:text encoding "
        "flush_interval:time format:text group_by:@exporters/file/group_by path:text "
        "rotation:@exporters/file/rotation"
    ),
    "exporters/file/group_by": _keys("enabled:switch max_open_files:whole resource_attribute:text"),
    "exporters/file/rotation": _keys("localtime:switch max_backups:whole max_days:whole max_megabytes:whole"),
    "exporters/otlp": _keys(
        "auth:@exporters/otlphttp/auth authority:text balancer_name:text compression endpoint:text headers:labels "
        "keepalive:@exporters/otlp/keepalive middlewares:list@exporters/otlp/middlewares* read_buffer_size:whole "
        "retry_on_failure:@exporters/otlp/retry_on_failure sending_queue:@exporters/otlp/sending_queue timeout:time "
        "tls:@exporters/otlphttp/tls wait_for_ready:switch write_buffer_size:whole"
    ),
    "exporters/otlp/keepalive": _keys("enabled:switch permit_without_stream:switch time:time timeout:time"),
    "exporters/otlp/middlewares*": _keys("id"),
    "exporters/otlp/retry_on_failure": _keys(
        "enabled:switch initial_interval:time max_elapsed_time:time max_interval:time multiplier:number "
        "randomization_factor:number"
    ),
    "exporters/otlp/sending_queue": _keys(
        "batch:@exporters/otlp/sending_queue/batch block_on_overflow:switch enabled:switch num_consumers:whole "
        "queue_size:whole sizer storage wait_for_result:switch"
    ),
    "exporters/otlp/sending_queue/batch": _keys(
        "enabled:switch flush_timeout:time max_size:whole min_size:whole "
        "partition:@exporters/otlp/sending_queue/batch/partition sizer"
    ),
    "exporters/otlp/sending_queue/batch/partition": _keys("metadata_keys:texts"),
    "exporters/otlphttp": _keys(
        "auth:@exporters/otlphttp/auth compression compression_params:@exporters/otlphttp/compression_params "
        "cookies:@exporters/otlphttp/cookies disable_keep_alives:switch encoding endpoint:text "
        "force_attempt_http2:switch headers:labels http2_ping_timeout:time http2_read_idle_timeout:time "
        "idle_conn_timeout:time logs_endpoint:text max_conns_per_host:whole max_idle_conns:whole "
        "max_idle_conns_per_host:whole metrics_endpoint:text middlewares:list@exporters/otlp/middlewares* "
        "profiles_endpoint:text proxy_url:text read_buffer_size:whole "
        "retry_on_failure:@exporters/otlp/retry_on_failure sending_queue:@exporters/otlp/sending_queue timeout:time "
        "tls:@exporters/otlphttp/tls traces_endpoint:text write_buffer_size:whole"
    ),
    "exporters/otlphttp/auth": _keys("authenticator enabled:switch"),
    "exporters/otlphttp/compression_params": _keys("level"),
    "exporters/otlphttp/cookies": _keys("enabled:switch"),
    "exporters/otlphttp/tls": _keys(
        "ca_file:text ca_pem:text cert_file:text cert_pem:text cipher_suites:texts curve_preferences:texts "
        "include_system_ca_certs_pool:switch insecure:switch insecure_skip_verify:switch key_file:text key_pem:text "
        "max_version:text min_version:text reload_interval:time server_name_override:text "
        "tpm:@exporters/otlphttp/tls/tpm"
    ),
    "exporters/otlphttp/tls/tpm": _keys("auth:text enabled:switch owner_auth:text path:text"),
    "exporters/prometheus": _keys(
        "add_metric_suffixes:switch auth:@exporters/prometheus/auth compression_algorithms:texts const_labels:labels "
        "cors:@exporters/prometheus/cors dialer:@receivers/otlp/protocols/grpc/dialer enable_open_metrics:switch "
        "endpoint:text idle_timeout:time include_metadata:switch keep_alives_enabled:switch "
        "max_request_body_size:whole metric_expiration:time middlewares:list@exporters/otlp/middlewares* "
        "namespace:text read_header_timeout:time read_timeout:time "
        "resource_to_telemetry_conversion:@exporters/prometheus/resource_to_telemetry_conversion "
        "response_headers:labels send_timestamps:switch sending_queue:@exporters/otlp/sending_queue "
        "tls:@exporters/prometheus/tls translation_strategy transport:text without_scope_info:switch "
        "write_timeout:time"
    ),
    "exporters/prometheus/auth": _keys("authenticator enabled:switch request_params:texts"),
    "exporters/prometheus/cors": _keys(
        "allowed_headers:texts allowed_origins:texts enabled:switch max_age:whole"
    ),
    "exporters/prometheus/resource_to_telemetry_conversion": _keys(
        "enabled:switch exclude_service_attributes:switch"
    ),
    "exporters/prometheus/tls": _keys(
        "ca_file:text ca_pem:text cert_file:text cert_pem:text cipher_suites:texts client_ca_file:text "
        "client_ca_file_reload:switch curve_preferences:texts enabled:switch include_system_ca_certs_pool:switch "
        "key_file:text key_pem:text max_version:text min_version:text reload_interval:time "
        "tpm:@exporters/otlphttp/tls/tpm"
    ),
    "extensions/file_storage": _keys(
        "compaction:@extensions/file_storage/compaction create_directory:switch directory:text "
        "directory_permissions:text fsync:switch recreate:switch timeout:time"
    ),
    "extensions/file_storage/compaction": _keys(
        "check_interval:time cleanup_on_start:switch directory:text max_transaction_size:whole on_rebound:switch "
        "on_start:switch rebound_needed_threshold_mib:whole rebound_trigger_threshold_mib:whole"
    ),
    "extensions/health_check": _keys(
        "auth:@exporters/prometheus/auth check_collector_pipeline:@extensions/health_check/check_collector_pipeline "
        "component_health:@extensions/health_check/component_health compression_algorithms:texts "
        "cors:@exporters/prometheus/cors dialer:@receivers/otlp/protocols/grpc/dialer endpoint:text "
        "grpc:@extensions/health_check/grpc http:@extensions/health_check/http idle_timeout:time "
        "include_metadata:switch keep_alives_enabled:switch max_request_body_size:whole "
        "middlewares:list@exporters/otlp/middlewares* path:text read_header_timeout:time read_timeout:time "
        "response_body:@extensions/health_check/response_body response_headers:labels tls:@exporters/prometheus/tls "
        "transport:text use_v2:switch write_timeout:time"
    ),
    "extensions/health_check/check_collector_pipeline": _keys(
        "enabled:switch exporter_failure_threshold:whole interval:text"
    ),
    "extensions/health_check/component_health": _keys(
        "include_permanent_errors:switch include_recoverable_errors:switch recovery_duration:time"
    ),
    "extensions/health_check/grpc": _keys(
        "auth:@exporters/otlphttp/auth dialer:@receivers/otlp/protocols/grpc/dialer endpoint:text "
        "include_metadata:switch keepalive:@receivers/otlp/protocols/grpc/keepalive max_concurrent_streams:count "
        "max_recv_msg_size_mib:whole middlewares:list@exporters/otlp/middlewares* read_buffer_size:whole "
        "tls:@exporters/prometheus/tls transport:text write_buffer_size:whole"
    ),
    "extensions/health_check/http": _keys(
        "auth:@exporters/prometheus/auth compression_algorithms:texts config:@extensions/health_check/http/config "
        "cors:@exporters/prometheus/cors dialer:@receivers/otlp/protocols/grpc/dialer endpoint:text idle_timeout:time "
        "include_metadata:switch keep_alives_enabled:switch max_request_body_size:whole "
        "middlewares:list@exporters/otlp/middlewares* read_header_timeout:time read_timeout:time "
        "response_headers:labels status:@extensions/health_check/http/config tls:@exporters/prometheus/tls "
        "transport:text write_timeout:time"
    ),
    "extensions/health_check/http/config": _keys("enabled:switch path:text"),
    "extensions/health_check/response_body": _keys("healthy:text unhealthy:text"),
    "extensions/zpages": _keys(
        "auth:@exporters/prometheus/auth compression_algorithms:texts cors:@exporters/prometheus/cors "
        "dialer:@receivers/otlp/protocols/grpc/dialer endpoint:text expvar:@exporters/otlphttp/cookies "
        "idle_timeout:time include_metadata:switch keep_alives_enabled:switch max_request_body_size:whole "
        "middlewares:list@exporters/otlp/middlewares* read_header_timeout:time read_timeout:time "
        "response_headers:labels tls:@exporters/prometheus/tls transport:text write_timeout:time"
    ),
    "processors/attributes": _keys(
        "actions:list@processors/resource/attributes* exclude:@processors/attributes/exclude "
        "include:@processors/attributes/exclude"
    ),
    "processors/attributes/exclude": _keys(
        "attributes:list libraries:list@processors/attributes/exclude/libraries* log_bodies:texts "
        "log_severity_number:@processors/attributes/exclude/log_severity_number log_severity_texts:texts match_type "
        "metric_names:texts regexp:@processors/attributes/exclude/regexp "
        "resources:list@processors/filter/logs/exclude/record_attributes* services:texts span_kinds:texts "
        "span_names:texts"
    ),
    "processors/attributes/exclude/libraries*": _keys("name:text version:text"),
    "processors/attributes/exclude/log_severity_number": _keys("match_undefined:switch min"),
    "processors/attributes/exclude/regexp": _keys("cacheenabled:switch cachemaxnumentries:whole"),
    "processors/batch": _keys(
        "metadata_cardinality_limit:count metadata_keys:texts send_batch_max_size:count send_batch_size:count "
        "timeout:time"
    ),
    "processors/filter": _keys(
        "error_mode log_conditions logs:@processors/filter/logs metric_conditions metrics:@processors/filter/metrics "
        "profile_conditions profiles:@processors/filter/profiles spans:@processors/filter/spans trace_conditions "
        "traces:@processors/filter/traces"
    ),
    "processors/filter/logs": _keys(
        "exclude:@processors/filter/logs/exclude include:@processors/filter/logs/exclude log_record:texts "
        "resource:texts"
    ),
    "processors/filter/logs/exclude": _keys(
        "bodies:texts match_type record_attributes:list@processors/filter/logs/exclude/record_attributes* "
        "resource_attributes:list@processors/filter/logs/exclude/record_attributes* "
        "severity_number:@processors/attributes/exclude/log_severity_number severity_texts:texts"
    ),
    "processors/filter/logs/exclude/record_attributes*": _keys("key:text value"),
    "processors/filter/metrics": _keys(
        "datapoint:texts exclude:@processors/filter/metrics/exclude include:@processors/filter/metrics/exclude "
        "metric:texts regexp:@processors/attributes/exclude/regexp resource:texts"
    ),
    "processors/filter/metrics/exclude": _keys(
        "expressions:texts match_type metric_names:texts regexp:@processors/attributes/exclude/regexp "
        "resource_attributes:list@processors/filter/logs/exclude/record_attributes*"
    ),
    "processors/filter/profiles": _keys("profile:texts resource:texts"),
    "processors/filter/spans": _keys(
        "exclude:@processors/attributes/exclude include:@processors/attributes/exclude"
    ),
    "processors/filter/traces": _keys("resource:texts span:texts spanevent:texts"),
    "processors/memory_limiter": _keys(
        "check_interval:time limit_mib:count limit_percentage:count min_gc_interval_when_hard_limited:time "
        "min_gc_interval_when_soft_limited:time spike_limit_mib:count spike_limit_percentage:count"
    ),
    "processors/probabilistic_sampler": _keys(
        "attribute_source fail_closed:switch from_attribute:text hash_seed:count mode sampling_percentage:number "
        "sampling_precision:whole sampling_priority:text"
    ),
    "processors/resource": _keys("attributes:list@processors/resource/attributes*"),
    "processors/resource/attributes*": _keys(
        "action converted_type:text default_value from_attribute:text from_context:text key:text pattern:text value"
    ),
    "processors/tail_sampling": _keys(
        "block_on_overflow:switch decision_cache:@processors/tail_sampling/decision_cache decision_wait:time "
        "decision_wait_after_root_received:time drop_pending_traces_on_shutdown:switch "
        "expected_new_traces_per_sec:count maximum_trace_size_bytes:count num_traces:count policies:list "
        "sample_on_first_match:switch"
    ),
    "processors/tail_sampling/decision_cache": _keys("non_sampled_cache_size:whole sampled_cache_size:whole"),
    "processors/transform": _keys(
        "error_mode flatten_data:switch log_statements metric_statements profile_statements trace_statements"
    ),
    "receivers/otlp": _keys("protocols:@receivers/otlp/protocols"),
    "receivers/otlp/protocols": _keys(
        "grpc:@receivers/otlp/protocols/grpc http:@receivers/otlp/protocols/http"
    ),
    "receivers/otlp/protocols/grpc": _keys(
        "auth:@exporters/otlphttp/auth dialer:@receivers/otlp/protocols/grpc/dialer enabled:switch endpoint:text "
        "include_metadata:switch keepalive:@receivers/otlp/protocols/grpc/keepalive max_concurrent_streams:count "
        "max_recv_msg_size_mib:whole middlewares:list@exporters/otlp/middlewares* read_buffer_size:whole "
        "tls:@exporters/prometheus/tls transport:text write_buffer_size:whole"
    ),
    "receivers/otlp/protocols/grpc/dialer": _keys("timeout:time"),
    "receivers/otlp/protocols/grpc/keepalive": _keys(
        "enabled:switch enforcement_policy:@receivers/otlp/protocols/grpc/keepalive/enforcement_policy "
        "server_parameters:@receivers/otlp/protocols/grpc/keepalive/server_parameters"
    ),
    "receivers/otlp/protocols/grpc/keepalive/enforcement_policy": _keys(
        "enabled:switch min_time:time permit_without_stream:switch"
    ),
    "receivers/otlp/protocols/grpc/keepalive/server_parameters": _keys(
        "enabled:switch max_connection_age:time max_connection_age_grace:time max_connection_idle:time time:time "
        "timeout:time"
    ),
    "receivers/otlp/protocols/http": _keys(
        "auth:@exporters/prometheus/auth compression_algorithms:texts cors:@exporters/prometheus/cors "
        "dialer:@receivers/otlp/protocols/grpc/dialer enabled:switch endpoint:text idle_timeout:time "
        "include_metadata:switch keep_alives_enabled:switch logs_url_path:text max_request_body_size:whole "
        "metrics_url_path:text middlewares:list@exporters/otlp/middlewares* read_header_timeout:time "
        "read_timeout:time response_headers:labels tls:@exporters/prometheus/tls traces_url_path:text transport:text "
        "write_timeout:time"
    ),
    "service": _keys("extensions:list pipelines telemetry:@service/telemetry"),
    "service/telemetry": _keys(
        "logs:@service/telemetry/logs metrics:@service/telemetry/metrics resource traces:@service/telemetry/traces"
    ),
    "service/telemetry/logs": _keys(
        "development:switch disable_caller:switch disable_stacktrace:switch disable_zap_resource:switch encoding:text "
        "error_output_paths:texts initial_fields level output_paths:texts processors:list "
        "sampling:@service/telemetry/logs/sampling"
    ),
    "service/telemetry/logs/sampling": _keys("enabled:switch initial:whole thereafter:whole tick:time"),
    "service/telemetry/metrics": _keys("level readers:list@service/telemetry/metrics/readers* views:list"),
    "service/telemetry/metrics/readers*": _keys(
        "periodic:@service/telemetry/metrics/readers*/periodic producers:list "
        "pull:@service/telemetry/metrics/readers*/pull"
    ),
    "service/telemetry/metrics/readers*/periodic": _keys("exporter interval:whole timeout:whole"),
    "service/telemetry/metrics/readers*/pull": _keys("exporter"),
    "service/telemetry/traces": _keys(
        "level limits:@service/telemetry/traces/limits processors:list propagators:texts sampler"
    ),
    "service/telemetry/traces/limits": _keys(
        "attribute_count_limit:whole attribute_value_length_limit:whole event_attribute_count_limit:whole "
        "event_count_limit:whole link_attribute_count_limit:whole link_count_limit:whole"
    ),
}
