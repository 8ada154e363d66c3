"""What was chosen for platform, NATS and etcd, and what the choice is worth."""

from collections.abc import Iterable

from stacks.plan.resolved import Decision, ResolvedPlatform, ServerGroup

_SEVERAL = 3


def platform_decisions(platform: ResolvedPlatform) -> Iterable[Decision]:
    """Return one decision for the platform, and one for each group of servers."""
    if platform.kind == "existing":
        reason = (
            f"somebody else runs it in namespace {platform.namespace}; this stack registers nothing of it, "
            "and its operator tells workers where NATS and etcd are"
        )
        yield Decision("platform", "platform", f"existing, {platform.version}", reason)
    else:
        reason = f"this stack installs it in namespace {platform.namespace}; a cluster can have only one"
        yield Decision("platform", "platform", f"own, {platform.version}", reason)
        if platform.discovery == "etcd":
            reason = "workers and frontends find each other in etcd: a worker whose lease of 10 s ends stops"
            yield Decision("platform", "discovery", "etcd", reason)
        elif platform.discovery == "kubernetes":
            reason = "workers and frontends find each other through the API server; no etcd is needed"
            yield Decision("platform", "discovery", "kubernetes", reason)
    reason = "both versions are served by this release; changing it means another graph object"
    yield Decision("platform", "graph API", platform.graph_api, reason)
    if platform.nats is not None:
        yield Decision("servers", "NATS", _choice(platform.nats), _nats_reason(platform.nats))
    if platform.etcd is not None:
        yield Decision("servers", "etcd", _choice(platform.etcd), _etcd_reason(platform.etcd))


def _choice(group: ServerGroup) -> str:
    if group.kind == "external":
        return f"external, {group.address}"
    return f"{group.kind}, {group.members} member{'s' if group.members > 1 else ''}"


def _nats_reason(nats: ServerGroup) -> str:
    if nats.kind == "external":
        return "others run it; this stack only passes its address on"
    if nats.kind == "bundled":
        return "one server of the platform's chart; while it restarts no request reaches a worker"
    if nats.members < _SEVERAL:
        return "one server with a volume; while it restarts no request reaches a worker"
    return (
        "requests go on while one of three servers restarts; what is in a JetStream stream is on one of them "
        "alone, because Dynamo makes its streams with one replica, and waits until that one is back"
    )


def _etcd_reason(etcd: ServerGroup) -> str:
    if etcd.kind == "external":
        return "others run it; this stack only passes its addresses on"
    if etcd.kind == "bundled":
        return (
            "one member of the platform's chart, from Bitnami's archived images (bitnamilegacy), which get "
            "no fixes; away for more than 10 s it stops all workers, because their leases end"
        )
    if etcd.members < _SEVERAL:
        return "one member; away for more than 10 s it stops all workers, because their leases end"
    return (
        "two of three members go on when one is lost; more than 10 s without two of them stops all workers, "
        "because their leases end (10 s, fixed in Dynamo 1.2)"
    )
