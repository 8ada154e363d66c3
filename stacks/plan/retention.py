"""What `pulumi destroy` leaves in the cluster, or of a cluster that the stack made itself in the account."""

from collections.abc import Iterable
from typing import Literal

from stacks.plan.cache_plan import CachePlan, ExistingVolume, OwnVolume
from stacks.plan.infrastructure.eks_plan import EksPlan, zone_group
from stacks.plan.platform.platform_plan import OwnPlatform, PlatformPlan
from stacks.plan.stack_plan import RetainedObject, ServingPlan, StackPlan
from stacks.plan.versions import PLATFORM_RELEASES

Keep = Literal["protected", "retained"]
"""Protected: the engine refuses to delete or to replace it, until a run without the protection. Retained:
protected, and left where it is when it leaves the stack."""

_CRD_REASON = "Helm deletes none: every stack's objects of the kind would go too"
# Neither is in a manifest of the chart: ai-dynamo/dynamo deploy/helm/charts/platform/components/operator.
_OPERATORS_OWN = "made by the operator, whose successor takes it over"
_LEASE = RetainedObject("Lease", "dynamo.nvidia.com", "kube-system", _OPERATORS_OWN)
# Made wherever a graph is, without an owner: ai-dynamo/dynamo deploy/operator/internal/rbac/manager.go,
# EnsureServiceAccountWithRBAC.
_PLANNERS = (("ServiceAccount", "planner-serviceaccount"), ("RoleBinding", "planner-serviceaccount-binding"))
_PLANNERS_REASON = "made by the operator beside every graph, and owned by none"
_KEEPS_MODEL = "lifecycle production keeps the downloaded model"
_CERTIFICATE_SECRET = "webhook-server-cert"  # noqa: S105 - the name of the Secret, not its content


def retained_objects(stack: StackPlan) -> tuple[RetainedObject, ...]:
    """Return what `destroy` leaves of the stack's own layers, in the order in which a person would remove it.

    The list leaves out what the stack did not create and so does not remove: an existing volume with its
    namespace, an existing platform, capacity that was bought. With a cluster of the stack's own everything
    goes, production or not: nobody could read what stayed, and its network interfaces would hold the network.
    With lifecycle production, protected resources stop a `destroy` before that.
    """
    serving = stack.serving
    if stack.infrastructure is not None:
        kept = tuple(_in_account(stack.infrastructure))
    else:
        # Where another stack makes the cluster, its `destroy` takes everything, and a kept object delays it.
        settings = stack.settings
        keeps_data = settings.cluster.kind != "eks" and settings.lifecycle == "production"
        kept = _in_cluster(stack.platform, serving, stack.cache, keeps_data=keeps_data)
    if stack.layers.owns("serving"):
        return kept
    return tuple(item for item in kept if serving.namespace not in {item.name, item.namespace})


def keep_of(stack: StackPlan, kind: str, name: str) -> Keep | None:
    """Return what keeps an object when somebody deletes it, or it leaves the stack; None: nothing."""
    # What `explain` lists is what is kept: there is no second decision.
    if any((item.kind, item.name) == (kind, name) for item in stack.retained):
        return "retained"
    if stack.settings.lifecycle == "disposable":
        return None
    protected = (*_model(stack.serving, stack.cache), *_beside_operator(stack.platform, keeps_data=True))
    return "protected" if (kind, name) in {(item.kind, item.name) for item in protected} else None


def _in_cluster(
    platform: PlatformPlan | None, serving: ServingPlan, cache: CachePlan, *, keeps_data: bool
) -> tuple[RetainedObject, ...]:
    model = tuple(_model(serving, cache)) if keeps_data else ()
    stays = bool(model) or isinstance(cache, ExistingVolume) or serving.namespace_exists
    beside_graph = [
        RetainedObject(kind, name, serving.namespace, _PLANNERS_REASON)
        for kind, name in _PLANNERS
        if platform and stays
    ]
    if not isinstance(platform, OwnPlatform):
        return (*model, *beside_graph)
    beside_operator = _beside_operator(platform, keeps_data=keeps_data)
    definitions = (
        RetainedObject("CustomResourceDefinition", name, None, _CRD_REASON)
        for name in PLATFORM_RELEASES[platform.version]
    )
    return (*model, *beside_graph, *beside_operator, _LEASE, *definitions)


def _in_account(plan: EksPlan) -> Iterable[RetainedObject]:
    reason = "EKS makes it again; delete it before another of this name"
    yield RetainedObject("Log group", f"/aws/eks/{plan.cluster.name}/cluster", None, reason)
    yield RetainedObject(
        "KMS key", f"Secrets of the cluster {plan.cluster.name}", None, "AWS deletes it 30 days later"
    )
    local = (subnet.zone for subnet in plan.subnets if subnet.public is None)
    for group in dict.fromkeys(map(zone_group, local)):
        reason = "opted in to; only AWS Support opts out again"
        yield RetainedObject("Local Zone group", group, None, reason)


def _model(serving: ServingPlan, cache: CachePlan) -> Iterable[RetainedObject]:
    if not isinstance(cache, OwnVolume):
        return
    yield RetainedObject(
        "PersistentVolumeClaim", serving.placed.cache_claim_name, serving.namespace, _KEEPS_MODEL
    )
    if not serving.namespace_exists:
        reason = "it holds the model cache, and would take it along"
        yield RetainedObject("Namespace", serving.namespace, None, reason)


def _beside_operator(platform: PlatformPlan | None, *, keeps_data: bool) -> Iterable[RetainedObject]:
    """Yield what stays in the namespace of the stack's own platform, and the namespace that holds data."""
    if not isinstance(platform, OwnPlatform):
        # Nobody's layer, or another stack's, whose own list has what it leaves.
        return
    groups = (("NATS", platform.nats), ("etcd", platform.etcd))
    holders = [(title, group) for title, group in groups if group and keeps_data]
    for title, members in holders:
        reason = f"lifecycle production keeps the data of {title}"
        for claim in members.claim_names:
            yield RetainedObject("PersistentVolumeClaim", claim, platform.namespace, reason)
    if holders or platform.namespace_exists:
        yield RetainedObject("Secret", _CERTIFICATE_SECRET, platform.namespace, _OPERATORS_OWN)
    if holders and not platform.namespace_exists:
        titles = " and ".join(title for title, _ in holders)
        reason = f"it holds the data of {titles}, and would take it along"
        yield RetainedObject("Namespace", platform.namespace, None, reason)
