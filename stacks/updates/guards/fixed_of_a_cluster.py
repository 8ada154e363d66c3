"""What of the cluster, and of the file system made with it, is fixed when a stack is created.

Pulumi would replace what any of these change: the network with all addresses, or the cluster with everything
on it. EKS refuses another zone for a control plane that runs (aws/containers-roadmap#2330), half an hour into
the `up` that asked for it.
"""

from components.storage_kinds import Lustre
from stacks.plan.infrastructure.eks_plan import AdoptedNetwork, EksPlan
from stacks.plan.stack_plan import StackPlan


def cluster_values(stack: StackPlan) -> dict[str, str]:
    """Return the values to export, each by the setting that it comes from."""
    values = {"cluster.kind": stack.cluster.kind}
    plan = stack.infrastructure
    if plan is None:
        return {**values, **_joined_values(stack)}
    if plan.storage is not None:
        # The claim would stay, and its file system go from under it.
        values["modelCache.storage.kind"] = plan.storage.kind
    values |= {
        "cluster.name": plan.name,
        "cluster.accountId": plan.account_id,
        "cluster.region": plan.region,
        **_network_values(plan),
    }
    if isinstance(plan.storage, Lustre):
        values["modelCache.storage.zone"] = plan.storage.zone
    return values


def cluster_steps(key: str) -> list[str]:
    """Return the procedure that makes another value of this setting possible."""
    return [
        "with the old value again: lifecycle: disposable, then `pulumi up`; it lifts the protection, and the "
        "model is not kept",
        "`pulumi destroy`, which forgets what was fixed",
        f"the new {key}, then `pulumi up`",
        "without an interruption instead: a second stack with a cluster.name and GPUs of its own, then "
        "destroy this one",
    ]


def _joined_values(stack: StackPlan) -> dict[str, str]:
    """Return what another stack makes and this one stands on: on another cluster nothing of it would be."""
    joined = stack.layers.joined.get("infrastructure")
    if joined is None:
        return {}
    said = joined.contract.values
    keys = ("modelCache.storage.kind", "cluster.name", "cluster.accountId", "cluster.region")
    return {key: str(said[key]) for key in keys if key in said}


def _network_values(plan: EksPlan) -> dict[str, str]:
    network = plan.network
    if isinstance(network, AdoptedNetwork):
        return {
            "cluster.network.kind": "existing",
            "cluster.network.vpcId": network.vpc_id,
            "cluster.network.subnets": ", ".join(network.control_plane),
        }
    # In their order: the first has the NAT gateway that all others leave by.
    return {
        "cluster.network.kind": "own",
        "cluster.network.cidr": network.cidr,
        "cluster.network.zones": ", ".join(network.control_plane),
    }
