"""What `pulumi destroy` leaves in the cluster, or of a cluster that the stack made itself in the account."""

from collections.abc import Iterable
from dataclasses import replace

from stacks.infrastructure.plan import CACHE_CLASS, EksPlan, PlannedEfs, PlannedLustre, PlannedNetwork
from stacks.resolved import Lifecycle, ResolvedCache, ResolvedPlatform, RetainedObject, ServerGroup
from stacks.servers import ETCD_NAME, NATS_NAME, claim_names

_CRD_REASON = "Helm deletes none: every stack's objects of the kind would go too"
# Neither is in a manifest of the chart: ai-dynamo/dynamo deploy/helm/charts/platform/components/operator.
_OPERATORS_OWN = "made by the operator, whose successor takes it over"
_LEASE = RetainedObject("Lease", "dynamo.nvidia.com", "kube-system", _OPERATORS_OWN)
_KEEPS_MODEL = "lifecycle production keeps the downloaded model"
_CERTIFICATE_SECRET = "webhook-server-cert"  # noqa: S105 - the name of the Secret, not its content


def retained_objects(
    lifecycle: Lifecycle,
    platform: ResolvedPlatform,
    namespace: str,
    cache: ResolvedCache,
    infrastructure: EksPlan | None,
) -> tuple[RetainedObject, ...]:
    """Return all of it, in the order in which a person would remove it.

    What the stack did not create it does not remove either, and is not listed: an existing volume with its
    namespace, an existing platform, capacity that was bought.
    """
    if infrastructure is not None:
        return (
            *_in_own_cluster(lifecycle, platform, namespace, cache),
            *_in_account(lifecycle, platform, cache, infrastructure),
        )
    definitions = tuple(
        RetainedObject("CustomResourceDefinition", name, None, _CRD_REASON)
        for name in platform.custom_resource_definitions
    )
    operators = (_LEASE, *definitions) if platform.kind == "own" else definitions
    if lifecycle == "disposable":
        return operators
    return (*_model(namespace, cache), *_servers(platform), *operators)


def keeps_platform_namespace(lifecycle: Lifecycle, platform: ResolvedPlatform) -> bool:
    """Whether the platform's namespace is protected and kept, because it holds data."""
    return lifecycle == "production" and bool(_own_servers(platform))


def _in_own_cluster(
    lifecycle: Lifecycle, platform: ResolvedPlatform, namespace: str, cache: ResolvedCache
) -> Iterable[RetainedObject]:
    """Yield what is kept so that its volume stays; what is no volume's is gone with the cluster."""
    if lifecycle == "disposable":
        return
    for item in (*_model(namespace, cache), *_servers(platform)):
        if item.kind != "Secret":
            yield replace(item, goes_with_cluster=True)


def _in_account(
    lifecycle: Lifecycle, platform: ResolvedPlatform, cache: ResolvedCache, plan: EksPlan
) -> Iterable[RetainedObject]:
    if lifecycle == "production":
        if cache.is_ours:
            yield _cache_volume(cache, plan)
        for title, name, group in _own_servers(platform):
            # The driver deletes a volume with its claim, and that is kept until the driver is gone too.
            reason = f"the data of {title}, kept in production"
            for claim in claim_names(name, group):
                yield RetainedObject("EBS volume", claim, None, reason)
    yield RetainedObject(
        "KMS key", f"Secrets of the cluster {plan.name}", None, "AWS deletes it 30 days later"
    )
    if isinstance(plan.network, PlannedNetwork):
        for group in dict.fromkeys(zone.group for zone in plan.network.local if zone.group):
            reason = "opted in to; only AWS Support opts out again"
            yield RetainedObject("Local Zone group", group, None, reason)


def _cache_volume(cache: ResolvedCache, plan: EksPlan) -> RetainedObject:
    # What a driver makes has a random name, and the claim it was made for in its tags.
    match plan.storage:
        case PlannedEfs():
            return RetainedObject("EFS file system", f"{plan.name}-{CACHE_CLASS}", None, _KEEPS_MODEL)
        case PlannedLustre():
            return RetainedObject("FSx file system", cache.claim_name, None, _KEEPS_MODEL)
        case None:
            return RetainedObject("EBS volume", cache.claim_name, None, _KEEPS_MODEL)


def _model(namespace: str, cache: ResolvedCache) -> Iterable[RetainedObject]:
    if not cache.is_ours:
        return
    yield RetainedObject("PersistentVolumeClaim", cache.claim_name, namespace, _KEEPS_MODEL)
    reason = "it holds the model cache, and would take it along"
    yield RetainedObject("Namespace", namespace, None, reason)


def _servers(platform: ResolvedPlatform) -> Iterable[RetainedObject]:
    holders: list[str] = []
    for title, name, group in _own_servers(platform):
        holders.append(title)
        reason = f"lifecycle production keeps the data of {title}"
        for claim in claim_names(name, group):
            yield RetainedObject("PersistentVolumeClaim", claim, platform.namespace, reason)
    if holders:
        yield RetainedObject("Secret", _CERTIFICATE_SECRET, platform.namespace, _OPERATORS_OWN)
        reason = f"it holds the data of {' and '.join(holders)}, and would take it along"
        yield RetainedObject("Namespace", platform.namespace, None, reason)


def _own_servers(platform: ResolvedPlatform) -> list[tuple[str, str, ServerGroup]]:
    groups = (("NATS", NATS_NAME, platform.nats), ("etcd", ETCD_NAME, platform.etcd))
    return [(title, name, group) for title, name, group in groups if group and group.kind == "own"]
