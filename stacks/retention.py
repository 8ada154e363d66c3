"""What `pulumi destroy` leaves in the cluster."""

from collections.abc import Iterable

from stacks.resolved import Lifecycle, ResolvedCache, ResolvedPlatform, RetainedObject
from stacks.servers import ETCD_NAME, NATS_NAME, claim_names

_CRD_REASON = (
    "Helm never deletes custom resource definitions: every object of the kind would go with them, also those "
    "of other stacks"
)


def retained_objects(
    lifecycle: Lifecycle, platform: ResolvedPlatform, namespace: str, cache: ResolvedCache
) -> tuple[RetainedObject, ...]:
    """Return all of it, in the order in which a person would remove it.

    What the stack did not create it does not remove either, and is not listed: an existing volume with its
    namespace, an existing platform.
    """
    definitions = tuple(
        RetainedObject("CustomResourceDefinition", name, None, _CRD_REASON)
        for name in platform.custom_resource_definitions
    )
    if lifecycle == "disposable":
        return definitions
    return (*_model(namespace, cache), *_servers(platform), *definitions)


def keeps_platform_namespace(lifecycle: Lifecycle, platform: ResolvedPlatform) -> bool:
    """Whether the platform's namespace is protected and kept, because it holds data."""
    return lifecycle == "production" and any(_server_claims(platform))


def _model(namespace: str, cache: ResolvedCache) -> Iterable[RetainedObject]:
    if not cache.is_ours:
        return
    reason = "lifecycle production keeps the downloaded model"
    yield RetainedObject("PersistentVolumeClaim", cache.claim_name, namespace, reason)
    reason = "it holds the model cache, and would take it along"
    yield RetainedObject("Namespace", namespace, None, reason)


def _servers(platform: ResolvedPlatform) -> Iterable[RetainedObject]:
    claims = list(_server_claims(platform))
    for name in claims:
        reason = "lifecycle production keeps the data of NATS and etcd"
        yield RetainedObject("PersistentVolumeClaim", name, platform.namespace, reason)
    if claims:
        reason = "it holds the data of NATS and etcd, and would take it along"
        yield RetainedObject("Namespace", platform.namespace, None, reason)


def _server_claims(platform: ResolvedPlatform) -> Iterable[str]:
    for name, group in ((NATS_NAME, platform.nats), (ETCD_NAME, platform.etcd)):
        if group is not None:
            yield from claim_names(name, group)
