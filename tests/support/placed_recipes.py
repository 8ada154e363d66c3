"""Placed recipes as resolve makes them, made by hand so that a test says what is placed where."""

import dataclasses
from typing import Any

from hypothesis import strategies as st

from engines.registry import ENGINES
from hardware import INSTANCE_TYPES, KvTransportName, kv_path
from recipes.load import load_recipe
from recipes.placed import (
    CacheNodes,
    CopyNodes,
    KvTransport,
    PlacedRecipe,
    PlacedService,
    PodResources,
    PoolPlacement,
    Rollout,
    Toleration,
)

DISAGGREGATED, AGGREGATED = "gpt-oss-120b/trtllm-disagg", "gpt-oss-120b/trtllm-agg"
ONE_POD = "gpt-oss-120b/trtllm-disagg-8gpu"
B200, GB200 = "p6-b200.48xlarge", "p6e-gb200.36xlarge"
GPU_TAINT = Toleration("nvidia.com/gpu", "Exists", "NoSchedule")
ARM_TAINT = Toleration("kubernetes.io/arch", "Equal", "NoSchedule", "arm64")
RECREATE = Rollout("Recreate", "the pool has no room for one worker more", "no answers meanwhile")
SURGE = Rollout("RollingUpdate", "the pool has room", "none")

B200_SELECTOR = {"nvidia.com/gpu.product": "NVIDIA-B200", "kubernetes.io/arch": "amd64"}
ONE_NODE = CacheNodes((B200_SELECTOR,), (GPU_TAINT,))
"""Of a volume that one node mounts."""
EACH_NODE = CopyNodes((B200_SELECTOR, {"pool": "others"}), (GPU_TAINT,), "/mnt/k8s-disks/0/model-cache")
"""A copy on every node of two pools."""

FRONTEND_RESOURCES = PodResources(cpu_request=4, cpu_limit=8, memory_gib=16)
WORKER_RESOURCES = PodResources(cpu_request=22, cpu_limit=22, memory_gib=240)


def placement(instance_type: str = B200, **changes: Any) -> PoolPlacement:
    """A pool of these nodes."""
    product, arch = ("NVIDIA-GB200", "arm64") if instance_type == GB200 else ("NVIDIA-B200", "amd64")
    made = PoolPlacement(
        pool="gpus",
        instance_type=INSTANCE_TYPES[instance_type],
        node_selector={"nvidia.com/gpu.product": product, "kubernetes.io/arch": arch},
        tolerations=(GPU_TAINT, ARM_TAINT) if instance_type == GB200 else (GPU_TAINT,),
        rollout=RECREATE,
    )
    return dataclasses.replace(made, **changes)


def placed_recipe(
    name: str = DISAGGREGATED, where: PoolPlacement | None = None, **changes: Any
) -> PlacedRecipe:
    """The recipe in one pool, disaggregated ones over TCP; `changes` are fields of PlacedRecipe."""
    recipe = load_recipe(name)
    pool = where or placement()
    services = tuple(
        PlacedService(
            each.name, each.role, each.replicas, each.processes, pool if each.gpus else None, resources
        )
        for each in recipe.pods
        for resources in [WORKER_RESOURCES if each.gpus else FRONTEND_RESOURCES]
    )
    made = PlacedRecipe(
        recipe=recipe,
        instance="gpus",
        graph_name=recipe.graph_name,
        namespace="gpt-oss",
        services=services,
        cache_claim_name="model-cache",
        kv_transport=_kv_transport("tcp") if recipe.is_disaggregated else None,
    )
    return dataclasses.replace(made, **changes)


def over(transport: KvTransportName, instance_type: str = B200) -> PlacedRecipe:
    """The disaggregated recipe with everything that resolve adds for the transport."""
    devices = {"rdma": {"rdma/ib": "1"}, "efa": {"vpc.amazonaws.com/efa": "4"}}.get(transport, {})
    return placed_recipe(
        where=placement(instance_type, extended_resources=devices),
        kv_transport=_kv_transport(transport, instance_type),
    )


def in_one_pod(transport: KvTransportName = "nvlink") -> PlacedRecipe:
    """The recipe whose prefill and decode are processes of one pod."""
    return placed_recipe(ONE_POD, kv_transport=_kv_transport(transport, one_pod=True))


def _kv_transport(
    name: KvTransportName, instance_type: str = B200, *, one_pod: bool = False, **demands: bool
) -> KvTransport:
    known = kv_path(
        name,
        INSTANCE_TYPES[instance_type],
        efa=ENGINES["tensorrt-llm"].efa,
        runtime=(1, 3, 1),
        rdma=name == "rdma",
        one_machine=False,
        one_pod=one_pod,
    )
    path = dataclasses.replace(known, **demands)
    return KvTransport(path, {"gpus": path}, explicit=True, ceiling="", placement="")


@st.composite
def placed_recipes(draw: st.DrawFn) -> PlacedRecipe:
    """Any placed recipe that resolve could make, and some that it could not."""
    name = draw(st.sampled_from([DISAGGREGATED, AGGREGATED, ONE_POD]))
    transport: KvTransport | None = None
    instance_type = draw(st.sampled_from([B200, GB200]))
    if name == ONE_POD:
        transport = _kv_transport(draw(st.sampled_from(["nvlink", "tcp", "rdma"])), one_pod=True)
    if name == DISAGGREGATED:
        paths: list[KvTransportName] = ["tcp", "rdma", "efa"]
        if instance_type == GB200:
            paths.append("mnnvl")
        demands = {"same_clique": draw(st.booleans()), "different_nodes": draw(st.booleans())}
        transport = _kv_transport(draw(st.sampled_from(paths)), instance_type, **demands)
    devices = draw(st.sampled_from([{}, {"vpc.amazonaws.com/efa": "4"}, {"rdma/ib": "1"}]))
    rollout = draw(st.sampled_from([RECREATE, SURGE]))
    placed = placed_recipe(
        name,
        placement(instance_type, extended_resources=devices, rollout=rollout),
        kv_transport=transport,
        cache_claim_name=draw(st.sampled_from(["model-cache", "weights"])),
        cache_nodes=draw(st.sampled_from([None, ONE_NODE, EACH_NODE])),
        image_mirrors=draw(st.sampled_from([{}, {"nvcr.io": "registry.example:5000/nvcr"}])),
        graph_name=draw(st.sampled_from(["gpt-oss", "second"])),
    )
    return dataclasses.replace(
        placed,
        services=tuple(
            dataclasses.replace(
                service,
                replicas=draw(st.integers(1, 9)),
            )
            for service in placed.services
        ),
    )
