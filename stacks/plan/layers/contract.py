"""What a layer tells the stacks that stand on it: typed, versioned, and without secrets.

The same is made from the owner's settings, to be exported, and from those of a stack that joins it, to be
compared. Only what the upper layers rely on is in them: an owner may change the rest, such as the
version of Kubernetes or who administers the cluster, without a word to anybody.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from components.purchase import CapacityBlock
from components.servers import EtcdServers, NatsServers
from components.storage_kinds import Lustre
from stacks.plan.infrastructure.plan import EksPlan
from stacks.plan.layers.layering import Contract, Value
from stacks.plan.resolved import OwnPlatform, ResolvedCluster

VERSION = 2
"""Raised whenever a key comes, goes or gets another meaning."""

KUBECONFIG = "kubeconfig"
"""The key of an infrastructure's kubeconfig: which command gets a token, and no token."""

_VERSION_KEY = "contract"
_RESERVED = (_VERSION_KEY, KUBECONFIG)
_ANY = "*"


@dataclass(frozen=True, slots=True)
class Exported:
    """What the owner of a layer has exported."""

    version: object
    """None where it is no contract at all."""
    values: Mapping[str, object]


def infrastructure_contract(plan: EksPlan) -> Contract:
    """Return what stands on a cluster, its nodes and its file system."""
    values: dict[str, Value] = {
        "cluster.name": plan.name,
        "cluster.accountId": plan.account_id,
        "cluster.region": plan.region,
        # With it comes the kind PodMonitor, of which serving makes one.
        "cluster.monitoring": "true" if plan.monitoring else "false",
    }
    for nodes in plan.gpu_nodes:
        purchase = nodes.purchase
        values |= {
            _pool_key(nodes.pool, "instanceType"): nodes.instance_type.name,
            _pool_key(nodes.pool, "nodes"): nodes.nodes,
            _pool_key(nodes.pool, "zone"): nodes.zone.name,
            _pool_key(nodes.pool, "nvlinkDomainGpus"): nodes.nvlink_domain_gpus,
            _pool_key(nodes.pool, "labels"): ", ".join(
                sorted(f"{key}={item}" for key, item in nodes.labels.items())
            ),
            # A graph is not registered while its nodes are waited for.
            _pool_key(nodes.pool, "purchase.phase"): (
                purchase.phase if isinstance(purchase, CapacityBlock) else "active"
            ),
        }
    if plan.storage is not None:
        values["modelCache.storage.kind"] = plan.storage.kind
    if isinstance(plan.storage, Lustre):
        # The volume has the size of the file system, and the claim that of the volume.
        values["modelCache.size"] = f"{plan.storage.size_gib}Gi"
    return Contract("infrastructure", values)


def platform_contract(platform: OwnPlatform, cluster: ResolvedCluster) -> Contract:
    """Return what a graph needs of the platform, and on which cluster that is."""
    values: dict[str, Value] = {
        "cluster.kind": cluster.kind,
        ("cluster.name" if cluster.kind == "eks" else "cluster.context"): cluster.context,
        "platform.version": platform.version,
        "platform.namespace": platform.namespace,
        "platform.discovery": platform.release.discovery,
        **_server_values("platform.nats", platform.release.nats),
        **_server_values("platform.etcd", platform.release.etcd),
    }
    return Contract("platform", values)


def exported(output: object) -> Exported:
    """Return what stands in a stack output of a layer's name."""
    content: Mapping[str, object] = {}
    if isinstance(output, Mapping):
        content = cast("Mapping[str, object]", output)
    values = {key: _whole(value) for key, value in content.items() if key not in _RESERVED}
    return Exported(_whole(content.get(_VERSION_KEY)), values)


def output_of(contract: Contract) -> dict[str, Value]:
    """Return the stack output of the layer's name, without what only the cluster knows."""
    return {_VERSION_KEY: VERSION, **contract.values}


def pools_in(values: Mapping[str, object]) -> tuple[str, ...]:
    """Return the names of the pools that there are values of."""
    start, end = _pool_key(_ANY, "nodes").split(_ANY)
    return tuple(
        key.removeprefix(start).removesuffix(end)
        for key in values
        if key.startswith(start) and key.endswith(end)
    )


def is_of_pool(key: str, pool: str) -> bool:
    """Whether a value is about this pool."""
    return key.startswith(_pool_key(pool, ""))


def _pool_key(pool: str, key: str) -> str:
    return f"nodePools[{pool}].{key}"


def _server_values(key: str, group: NatsServers | EtcdServers | None) -> dict[str, Value]:
    if group is None:
        return {f"{key}.kind": "none"}
    return {f"{key}.kind": group.kind, f"{key}.address": group.address}


def _whole(value: object) -> object:
    # Every number comes back from the engine as 3.0.
    return int(value) if isinstance(value, float) else value
