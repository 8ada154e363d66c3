"""The model cache in the program: a claim and the Job that fills it, or a copy on each node."""

from dataclasses import replace

import pulumi

from components.model_cache import ModelCache
from components.model_volume import LostClaim, OwnClaim
from components.namespace import Namespace
from components.node_cache import NodeCache
from recipes.model_download import CacheSource, HuggingFaceDownload, S3Copy, VolumeCheck, cache_job_spec
from recipes.node_cache import node_cache_spec
from stacks.plan.cache_plan import ExistingVolume, NodeCopies, OwnVolume
from stacks.plan.retention import keep_of
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.program.joined_layers import InfrastructureParts

NODE_CACHE_NAME = "model-cache"
"""The DaemonSet has this name."""


def deploy_cache(
    stack: StackPlan,
    namespace: Namespace | None,
    infrastructure: InfrastructureParts,
    options: pulumi.ResourceOptions,
    *,
    found_claim: str | None,
    lost_claim: LostClaim | None,
) -> tuple[pulumi.Resource, ...]:
    """Register what brings the model, and return what every reader of it depends on.

    Args:
        stack: everything that was decided.
        namespace: where all of it lives; None where it was there before the stack.
        infrastructure: with the file system, and what gives GPU nodes the labels that they are found by.
        options: with the provider.
        found_claim: uid of a claim that exists; None where nobody can tell.
        lost_claim: of the state, which the cluster does not have.

    """
    cache, placed = stack.cache, stack.serving.placed
    before: list[pulumi.Resource] = [*namespace.made] if namespace else []
    if namespace and namespace.token_secret:
        before.append(namespace.token_secret)
    if placed.cache_nodes:
        # GPU nodes are found by labels that the GPU operator writes.
        before += infrastructure.before_graph
    source: CacheSource
    match cache:
        case NodeCopies():
            source = _with_token(cache.source, namespace)
            copies = NodeCache(
                NODE_CACHE_NAME,
                namespace=placed.namespace,
                spec=node_cache_spec(
                    placed.recipe, NODE_CACHE_NAME, cache.nodes, source, placed.image_mirrors
                ),
                timeout_seconds=cache.timeout_seconds,
                depends_on=before,
                opts=options,
            )
            return (copies.daemon_set,)
        case ExistingVolume():
            source = VolumeCheck()
            claim = None
        case OwnVolume():
            if cache.nodes and waited_for(stack):
                # A Job that no node can run would be waited for until its time is over.
                return ()
            source = _with_token(cache.source, namespace)
            claim = OwnClaim(
                storage=infrastructure.file_system or cache.class_name,
                size_gib=cache.size_gib,
                keep=keep_of(stack, "PersistentVolumeClaim", cache.claim_name),
                one_node=cache.nodes is not None,
                lost=lost_claim,
            )
    return ModelCache(
        "model-cache",
        claim,
        namespace=placed.namespace,
        claim_name=cache.claim_name,
        job_name=cache.job_name,
        job_spec=cache_job_spec(
            placed.recipe, cache.claim_name, source, placed.image_mirrors, placed.cache_nodes
        ),
        job_timeout_seconds=cache.timeout_seconds,
        found_uid=found_claim,
        depends_on=before,
        opts=options,
    ).made


def _with_token(
    source: HuggingFaceDownload | S3Copy, namespace: Namespace | None
) -> HuggingFaceDownload | S3Copy:
    if namespace and isinstance(source, HuggingFaceDownload):
        return replace(source, token_secret_name=namespace.token_secret_name)
    return source
