"""What was chosen for platform, NATS and etcd, and what the choice is worth."""

from collections.abc import Iterable

from components.servers import BundledServers, EtcdArgs, EtcdServers, ExternalServers, NatsArgs, NatsServers
from stacks.plan.stack_plan import Decision, ExistingPlatform, OwnPlatform, PlatformPlan

_SEVERAL = 3
_DISCOVERY = {
    "etcd": "workers and frontends find each other in etcd: a worker whose lease of 10 s ends stops",
    "kubernetes": "workers and frontends find each other through the API server; no etcd is needed",
}


def platform_decisions(platform: PlatformPlan) -> Iterable[Decision]:
    """Return one decision for the platform, and one for each group of servers."""
    if isinstance(platform, ExistingPlatform):
        reason = (
            f"somebody else runs it in namespace {platform.namespace}; this stack registers nothing of it, "
            "and its operator tells workers where NATS and etcd are"
        )
        yield Decision("platform", "platform", f"existing, {platform.version}", reason)
    else:
        reason = f"this stack installs it in namespace {platform.namespace}; a cluster can have only one"
        yield Decision("platform", "platform", f"own, {platform.version}", reason)
        yield Decision(
            "platform", "discovery", platform.release.discovery, _DISCOVERY[platform.release.discovery]
        )
    reason = "both versions are served by this release; changing it means another graph object"
    yield Decision("platform", "graph API", platform.graph_api, reason)
    if isinstance(platform, OwnPlatform):
        nats, etcd = platform.release.nats, platform.release.etcd
        yield Decision("servers", "NATS", _choice(nats), _nats_reason(nats))
        if etcd is not None:
            yield Decision("servers", "etcd", _choice(etcd), _etcd_reason(etcd))


def _choice(group: NatsServers | EtcdServers) -> str:
    match group:
        case ExternalServers():
            return f"external, {group.address}"
        case BundledServers():
            return "bundled, 1 member"
        case NatsArgs() | EtcdArgs():
            members = group.servers.members
            return f"own, {members} member{'s' if members > 1 else ''}"


def _nats_reason(nats: NatsServers) -> str:
    if isinstance(nats, ExternalServers):
        return "others run it; this stack only passes its address on"
    if isinstance(nats, BundledServers):
        return "one server of the platform's chart; while it restarts no request reaches a worker"
    if nats.servers.members < _SEVERAL:
        return "one server with a volume; while it restarts no request reaches a worker"
    return (
        "requests go on while one of three servers restarts; what is in a JetStream stream is on one of them "
        "alone, because Dynamo makes its streams with one replica, and waits until that one is back"
    )


def _etcd_reason(etcd: EtcdServers) -> str:
    if isinstance(etcd, ExternalServers):
        return "others run it; this stack only passes its addresses on"
    if isinstance(etcd, BundledServers):
        return (
            "one member of the platform's chart, from Bitnami's archived images (bitnamilegacy), which get "
            "no fixes; away for more than 10 s it stops all workers, because their leases end"
        )
    if etcd.servers.members < _SEVERAL:
        return "one member; away for more than 10 s it stops all workers, because their leases end"
    return (
        "two of three members go on when one is lost; more than 10 s without two of them stops all workers, "
        "because their leases end (10 s, fixed in Dynamo 1.2)"
    )
