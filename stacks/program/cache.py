"""The model cache in the program: a claim and the Job that fills it, or a copy on each node."""

from dataclasses import dataclass

import pulumi

from components.file_system_volume import FileSystem
from components.keeping import Keep
from components.model_cache import CacheVolume, LostClaim, ModelCache, ModelCacheArgs
from components.namespace import Namespace
from components.node_cache import NodeCache, NodeCacheArgs
from recipes.model_download import CacheSource, HuggingFaceDownload, S3Copy, VolumeCheck, cache_job_spec
from recipes.node_cache import node_cache_spec
from recipes.placed import CacheNodes
from stacks.plan.stack_plan import ResolvedCache, StackPlan, waited_for
from stacks.program.platform import PlatformParts

NODE_CACHE_NAME = "model-cache"
"""Of the DaemonSet."""


@dataclass(frozen=True, slots=True)
class CachePlace:
    """What stands behind the claim of the model cache."""

    keep: Keep
    file_system: FileSystem | None
    """None where a storage class makes the volume."""
    found_uid: str | None = None
    """Of a claim that the cluster has already."""
    lost: LostClaim | None = None


def deploy_cache(
    stack: StackPlan,
    namespace: Namespace | None,
    platform: PlatformParts,
    options: pulumi.ResourceOptions,
    place: CachePlace,
) -> tuple[pulumi.Resource, ...]:
    """Register what brings the model, and return what every reader of it depends on.

    Args:
        stack: everything that was decided.
        namespace: where all of it lives; None where it was there before the stack.
        platform: with what gives GPU nodes the labels that they are found by.
        options: with the provider.
        place: where the cache lies, and what happens to it when it leaves the stack.

    """
    source = _source(stack.cache, namespace.token_secret_name if namespace else None)
    before: list[pulumi.Resource] = [*namespace.made] if namespace else []
    if namespace and namespace.token_secret:
        before.append(namespace.token_secret)
    nodes = stack.serving.placed.cache_nodes
    if nodes is None:
        return _volume_cache(stack, source, before, options, place)
    # Its pods run on GPU nodes alone, which are found by labels that the GPU operator writes.
    before += platform.devices
    if nodes.directory is not None:
        return (_node_cache(stack, nodes, source, before, options),)
    # A Job that no node can run would be waited for until its time is over.
    return () if waited_for(stack) else _volume_cache(stack, source, before, options, place)


def _volume_cache(
    stack: StackPlan,
    source: CacheSource,
    depends_on: list[pulumi.Resource],
    options: pulumi.ResourceOptions,
    place: CachePlace,
) -> tuple[pulumi.Resource, ...]:
    cache, placed = stack.cache, stack.serving.placed
    made = ModelCache(
        "model-cache",
        ModelCacheArgs(
            namespace=stack.serving.namespace,
            claim_name=cache.claim_name,
            volume=_volume(cache, place, placed.cache_nodes),
            job_name=cache.job_name,
            job_spec=cache_job_spec(
                placed.recipe, cache.claim_name, source, placed.image_mirrors, placed.cache_nodes
            ),
            job_timeout_seconds=cache.download_timeout_seconds,
            found_uid=place.found_uid,
            lost=place.lost,
        ),
        depends_on=depends_on,
        opts=options,
    )
    return (made.job, made.claim) if made.claim else (made.job,)


def _node_cache(
    stack: StackPlan,
    nodes: CacheNodes,
    source: CacheSource,
    depends_on: list[pulumi.Resource],
    options: pulumi.ResourceOptions,
) -> pulumi.Resource:
    placed = stack.serving.placed
    return NodeCache(
        "model-cache",
        NodeCacheArgs(
            name=NODE_CACHE_NAME,
            namespace=stack.serving.namespace,
            spec=node_cache_spec(placed.recipe, NODE_CACHE_NAME, nodes, source, placed.image_mirrors),
            timeout_seconds=stack.cache.download_timeout_seconds,
        ),
        depends_on=depends_on,
        opts=options,
    ).daemon_set


def _source(cache: ResolvedCache, token_secret_name: str | None) -> CacheSource:
    if cache.source == "huggingface":
        return HuggingFaceDownload(token_secret_name)
    if cache.source == "existingVolume":
        return VolumeCheck()
    if cache.s3_address is None:
        raise ValueError("a copy from a bucket has an address")
    return S3Copy(cache.s3_address, cache.s3_region, cache.service_account_name)


def _volume(cache: ResolvedCache, place: CachePlace, nodes: CacheNodes | None) -> CacheVolume | None:
    if not cache.is_ours:
        return None
    if cache.storage_class_name is None or cache.size_gib is None:
        raise ValueError("a cache of the stack's own has a storage class and a size")
    return CacheVolume(
        cache.storage_class_name,
        cache.size_gib,
        place.keep,
        cache.volume_name,
        place.file_system,
        one_node=nodes is not None,
    )
