"""One rule of one site, in one file: lens-preflight check train.py --local site_checks.py"""

from lens_preflight.api import Finding, Location, Owner, Proof, Rule, Scope, Severity, check

PROXY = Rule("site-proxy/set", "a proxy of the login nodes is set", Severity.CAUTION, Owner.PLATFORM)


@check("site-proxy", "No proxy of the login nodes reaches the job", scope=Scope.LAUNCH, rules=(PROXY,))
def site_proxy(ctx):
    """Our proxy serves login nodes only; on compute nodes it swallows OTLP."""
    if ctx.env.text("http_proxy"):
        yield Finding(PROXY, "http_proxy is set", Location.variable("http_proxy"), remedy="unset http_proxy")
    else:
        yield Proof("http_proxy is not set")
