"""The types of components that some distribution of the Collector ships, by kind.

Sources: the manifests of the contrib and the Kubernetes distributions; underscores do not count, since
types gained and lost them over time.
"""

from __future__ import annotations

from lens_preflight.collector.types import ONLY, REMOVED

_TYPES = {
    "receivers": (
        "otlp nop otelarrow prometheus prometheussimple prometheusremotewrite hostmetrics filelog journald "
        "jaeger zipkin kafka kafkametrics k8scluster k8sevents k8sobjects k8slog kubeletstats dockerstats podman "
        "podmanstats statsd carbon collectd syslog tcplog udplog tcpcheck httpcheck webhookevent windowseventlog "
        "windowsperfcounters windowsservice skywalking splunkhec splunkenterprise signalfx sapm loki influxdb "
        "datadog faro fluentforward file otlpjsonfile filestats receivercreator awscloudwatch awsfirehose awss3 "
        "awscontainerinsightreceiver awscontainerinsight awsecscontainermetrics awsxray azureblob azureeventhub "
        "azuremonitor googlecloudmonitoring googlecloudpubsub googlecloudpubsubpush googlecloudspanner activedirectoryds "
        "aerospike apache apachespark bigip chrony cloudflare cloudfoundry couchdb elasticsearch envoyals expvar "
        "flinkmetrics github gitlab haproxy icmpcheck iis jmx libhoney lokireceiver memcached mongodb mongodbatlas "
        "mysql namedpipe netflow nginx nsxt ntp oracledb osquery pprof postgresql pulsar purefa purefb rabbitmq redis "
        "riak saphana snmp snowflake solace sqlquery sqlserver sshcheck stef systemd tlscheck vcenter vcr wavefront "
        "yanggrpc zookeeper macosunifiedlogging macosunifiedlog prometheuspush cisco ciscoos"
    ),
    "processors": (
        "batch memorylimiter attributes resource filter transform span redaction tailsampling probabilisticsampler "
        "resourcedetection k8sattributes groupbytrace groupbyattrs cumulativetodelta deltatocumulative deltatorate "
        "interval metricstransform metricsgeneration experimentalmetricsgeneration metricstarttime geoip logdedup "
        "logstransform remotetap routing schema sumologic coralogix isolationforest unroll dnslookup lookup "
        "datadog datadogsemantics genainormalizer starttimemetric"
    ),
    "exporters": (
        "debug nop otlp otlphttp otelarrow file prometheus prometheusremotewrite kafka loadbalancing zipkin loki "
        "elasticsearch opensearch clickhouse datadog splunkhec signalfx sapm sumologic syslog coralogix logzio "
        "honeycombmarker influxdb googlecloud googlecloudpubsub googlecloudstorage googlemanagedprometheus "
        "awscloudwatchlogs "
        "awsemf awskinesis awss3 awsxray azureblob azuredataexplorer azuremonitor alibabacloudlogservice bmchelix "
        "carbon cassandra dataset doris faro instana logicmonitor mezmo opencensus pulsar rabbitmq sentry skywalking "
        "stef tencentcloudlogservice tinybird dynatrace databend arrow azureloganalytics"
    ),
    "connectors": (
        "forward count sum spanmetrics servicegraph routing failover roundrobin exceptions datadog grafanacloud "
        "otlpjson signaltometrics slowsql metricsaslogs spantolog"
    ),
    "extensions": (
        "healthcheck healthcheckv2 zpages pprof filestorage dbstorage redisstorage basicauth bearertokenauth oidc "
        "oidcauth oauth2client oauth2clientauth asapclient asapauth sigv4auth azureauth googleclientauth headerssetter "
        "opamp ack awsproxy cgroupruntime datadog httpforwarder jaegerremotesampling sumologic k8sleaderelector "
        "k8sobserver hostobserver dockerobserver ecsobserver ecstaskobserver kafkatopicsobserver cfgardenobserver "
        "remotetap memorylimiter ratelimiter solarwindsapmsettings otlpencoding jaegerencoding jsonlogencoding "
        "textencoding zipkinencoding skywalkingencoding avrologencoding awslogsencoding azureencoding "
        "awscloudwatchmetricstreamsencoding googlecloudlogentryencoding googlecloudlogentry"
    ),
}
_SHIPPED = {kind: frozenset(words.split()) for kind, words in _TYPES.items()}


def is_shipped(kind: str, type_: str) -> bool:
    """Whether a type is in a distribution, or was in one."""
    known = (kind, type_) in ONLY or (kind, type_) in REMOVED
    return known or type_.replace("_", "") in _SHIPPED.get(kind, ())
