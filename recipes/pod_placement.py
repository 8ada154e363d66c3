"""Where the pods of a graph may run, and where they should."""

from collections.abc import Mapping
from typing import Any

from recipes.placed import CacheNodes, PlacedRecipe, PlacedService, PoolPlacement, Toleration

GRAPH_NAME_LABEL = "nvidia.com/dynamo-graph-deployment-name"
COMPONENT_TYPE_LABEL = "nvidia.com/dynamo-component-type"
COMPONENT_LABEL = "nvidia.com/dynamo-component"
"""Name of the service, as the recipe has it."""

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
NVLINK_CLIQUE = "nvidia.com/gpu.clique"
"""Set by gpu-feature-discovery on nodes whose GPUs are attached to an NVLink fabric."""

# More pods than any graph has on a node.
_NO_SPREADING = 1000

# Node affinity of everything that needs no GPU: a frontend on a GPU node would take the processor time
# and memory that its workers are sized for. NotIn also matches nodes without the label.
NODES_WITHOUT_GPUS: Mapping[str, Any] = {
    "requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [
            {"matchExpressions": [{"key": "nvidia.com/gpu.present", "operator": "NotIn", "values": ["true"]}]}
        ]
    }
}


def frontend_scheduling(placed: PlacedRecipe) -> dict[str, Any]:
    """Return the fields of a frontend's pod spec that say where it goes."""
    fields = scheduling_with_cache(placed.cache_nodes)
    apart = _weighted(_term(placed, HOSTNAME, ["frontend"]))
    return fields | {"affinity": {**fields["affinity"], "podAntiAffinity": apart}}


def scheduling_with_cache(nodes: CacheNodes | None) -> dict[str, Any]:
    """Return the fields of a pod spec that needs no GPU and reads the model cache.

    Args:
        nodes: those that alone have the cache; None for any without GPUs.

    """
    if nodes is None:
        return {"affinity": {"nodeAffinity": dict(NODES_WITHOUT_GPUS)}}
    # Terms are alternatives, so that one pod template names the nodes of several pools.
    terms = [
        {
            "matchExpressions": [
                {"key": label, "operator": "In", "values": [value]} for label, value in selector.items()
            ]
        }
        for selector in nodes.selectors
    ]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {
        "affinity": {"nodeAffinity": required},
        "tolerations": [_toleration(toleration) for toleration in nodes.tolerations],
    }


def worker_scheduling(
    placed: PlacedRecipe, service: PlacedService, placement: PoolPlacement
) -> dict[str, Any]:
    """Return the fields of a worker's pod spec that say where it goes."""
    fields: dict[str, Any] = {
        "nodeSelector": dict(placement.node_selector),
        "tolerations": [_toleration(toleration) for toleration in placement.tolerations],
    }
    # One node has one channel, for one pod (kubernetes-sigs/dra-driver-nvidia-gpu#353).
    shares_node = placed.compute_domain is None and service.gpus < placement.instance_type.gpus
    types = sorted({worker.role for worker in placed.workers})
    # The ComputeDomain places no pod itself (kubernetes-sigs/dra-driver-nvidia-gpu#804), and EFA traffic does
    # not cross zones (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html).
    path = placed.kv_transport.path if placed.kv_transport else None
    demanded = {NVLINK_CLIQUE: path.same_clique, ZONE: path.same_zone} if path else {}
    apart = path is not None and path.different_nodes
    together: dict[str, Any] = {}
    if domains := [key for key, is_demanded in demanded.items() if is_demanded]:
        # The first pod finds no other to join: Kubernetes lets a pod that matches its own term through.
        terms = [_term(placed, key, types) for key in domains]
        together["requiredDuringSchedulingIgnoredDuringExecution"] = terms
    if shares_node:
        neighbours = [service.role] if apart else types
        together |= _weighted(_term(placed, HOSTNAME, neighbours))
    affinity: dict[str, Any] = {"podAffinity": together} if together else {}
    if apart:
        others = [name for name in types if name != service.role]
        affinity["podAntiAffinity"] = {
            "requiredDuringSchedulingIgnoredDuringExecution": [_term(placed, HOSTNAME, others)]
        }
    if affinity:
        fields["affinity"] = affinity
    if shares_node:
        fields["topologySpreadConstraints"] = [_no_spreading(placed, service)]
    return fields


def _no_spreading(placed: PlacedRecipe, service: PlacedService) -> dict[str, Any]:
    """Return a constraint that allows everything.

    A pod without one gets the scheduler's default, which spreads the pods of a Deployment over the nodes:
    small workers would leave no node with enough free GPUs for a large one. Seen with kube-scheduler on a
    hundred simulated nodes of 8 GPUs: 16 workers of one GPU and 23 CPUs took 8 nodes without it, 2 with it
    (https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/#internal-default-constraints).
    """
    return {
        "maxSkew": _NO_SPREADING,
        "topologyKey": HOSTNAME,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": _selector(placed, [service.role]),
    }


def _weighted(term: dict[str, Any]) -> dict[str, Any]:
    return {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": term}]}


def _term(placed: PlacedRecipe, topology_key: str, component_types: list[str]) -> dict[str, Any]:
    return {"labelSelector": _selector(placed, component_types), "topologyKey": topology_key}


def _selector(placed: PlacedRecipe, component_types: list[str]) -> dict[str, Any]:
    """Return the selector of the graph's own pods of these types; a term counts its own namespace only."""
    if len(component_types) == 1:
        return {
            "matchLabels": {GRAPH_NAME_LABEL: placed.graph_name, COMPONENT_TYPE_LABEL: component_types[0]}
        }
    types = {"key": COMPONENT_TYPE_LABEL, "operator": "In", "values": component_types}
    return {"matchLabels": {GRAPH_NAME_LABEL: placed.graph_name}, "matchExpressions": [types]}


def _toleration(toleration: Toleration) -> dict[str, str]:
    fields = {"key": toleration.key, "operator": toleration.operator, "effect": toleration.effect}
    return fields if toleration.value is None else fields | {"value": toleration.value}
