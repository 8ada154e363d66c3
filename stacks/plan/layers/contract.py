"""What a layer tells the stacks that stand on it: a version and plain values, no secrets.

The owner exports the contract of its settings. A stack that joins the layer makes one of its own settings,
and compares both. A contract has only what upper layers rely on: the owner may change the rest, such as the
version of Kubernetes or who administers the cluster, and no other stack has to change.
"""

import re
from collections.abc import Mapping
from typing import cast

from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.plan.placement.pools import in_labels
from stacks.plan.platform.platform_plan import OwnPlatform
from stacks.settings.cluster import ClusterSettings, LustreStorage

Value = str | int

VERSION = 2
"""Raised whenever a key comes, goes or gets another meaning."""

KUBECONFIG = "kubeconfig"
"""The key of an infrastructure's kubeconfig, which has the command that gets a token, and no token."""

VERSION_KEY = "contract"
_POOL = re.compile(r"nodePools\[(.+)\]\.nodes")


Contract = Mapping[str, Value]
"""Setting -> value, for everything that a stack above relies on, as the settings of a file describe it."""


def infrastructure_contract(plan: EksPlan) -> Contract:
    """Return what stands on a cluster, its nodes and its file system."""
    values: dict[str, Value] = {
        "cluster.name": plan.cluster.name,
        "cluster.accountId": plan.cluster.account_id,
        "cluster.region": plan.cluster.region,
        # Monitoring brings the kind PodMonitor, and serving makes a PodMonitor.
        "cluster.monitoring": "true" if plan.cluster.monitoring else "false",
    }
    for nodes in plan.gpu_nodes:
        pool = nodes.pool
        described: dict[str, Value] = {
            "instanceType": pool.instance_type.name,
            "nodes": pool.nodes,
            "zone": nodes.zone,
            "nvlinkDomainGpus": pool.nvlink_domain_gpus,
            "labels": in_labels(dict(sorted(pool.labels.items()))),
            # The program registers no graph before its nodes are there.
            "purchase.phase": nodes.phase,
        }
        values |= {pool_key(pool.name, key): value for key, value in described.items()}
    if plan.storage is not None:
        values["modelCache.storage.kind"] = plan.storage.typed.kind
        if isinstance(plan.storage.typed, LustreStorage):
            # The volume has the size of the file system, and the claim that of the volume.
            values["modelCache.size"] = f"{plan.storage.size_gib}Gi"
    return values


def platform_contract(platform: OwnPlatform, cluster: ClusterSettings) -> Contract:
    """Return what a graph needs of the platform, and on which cluster that is."""
    values: dict[str, Value] = {
        "cluster.kind": cluster.kind,
        ("cluster.name" if cluster.kind == "eks" else "cluster.context"): cluster.context,
        "platform.version": platform.version,
        "platform.namespace": platform.namespace,
        "platform.discovery": platform.typed.discovery,
        "platform.nats.kind": platform.typed.nats.kind,
        "platform.nats.address": platform.nats_address,
        "platform.etcd.kind": platform.typed.etcd.kind if platform.typed.etcd else "none",
    }
    if platform.typed.etcd:
        values["platform.etcd.address"] = platform.etcd_address
    return values


def exported(output: object) -> Mapping[str, object]:
    """Return what a stack output of a layer's name says, its version included; nothing of no contract."""
    if not isinstance(output, Mapping):
        return {}
    # Every number comes back from the engine as 3.0.
    return {
        key: int(value) if isinstance(value, float) else value
        for key, value in cast("Mapping[str, object]", output).items()
    }


def output_of(contract: Contract) -> dict[str, Value]:
    """Return the stack output of the layer's name, without what only the cluster knows."""
    return {VERSION_KEY: VERSION, **contract}


def pools_in(values: Mapping[str, object]) -> tuple[str, ...]:
    """Return the names of the pools that there are values of."""
    return tuple(found[1] for key in values if (found := _POOL.fullmatch(key)))


def pool_key(pool: str, key: str) -> str:
    """Return the key of a pool's value."""
    return f"nodePools[{pool}].{key}"
