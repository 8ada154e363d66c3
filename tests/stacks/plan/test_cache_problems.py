"""Model caches that only some nodes have, and zones that a cache cannot be mounted from."""

from collections.abc import Callable
from typing import Any

import pytest

from stacks.errors import SettingsError
from stacks.plan.cache_plan import NodeCopies, OwnVolume
from stacks.plan.stack_plan import StackPlan
from stacks.settings.cluster import EbsStorage
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings

Settings = dict[str, Any]
Change = Callable[[Settings], None]


def on_disk(settings: Settings) -> Settings:
    settings["modelCache"] = {"size": "300Gi", "storage": {"kind": "ebs"}}
    return settings


def on_nodes(settings: Settings) -> Settings:
    settings["modelCache"] = {"size": "300Gi", "storage": {"kind": "instanceStore"}}
    return settings


def said(settings: Settings) -> str:
    with pytest.raises(SettingsError) as refusal:
        resolved(settings)
    return str(refusal.value)


def frontend_labels(stack: StackPlan) -> tuple[dict[str, str], ...]:
    nodes = stack.serving.placed.cache_nodes
    assert nodes is not None
    return tuple(dict(selector) for selector in nodes.selectors)


def test_a_disk_is_a_class_and_a_claim_for_the_nodes_of_the_one_pool() -> None:
    stack = resolved(on_disk(eks_b200_settings()))
    assert stack.infrastructure is not None
    assert stack.infrastructure.storage is not None
    assert stack.infrastructure.storage.typed == EbsStorage(kind="ebs", throughput=1000)
    assert isinstance(stack.cache, OwnVolume)
    assert stack.cache.class_name == "model-cache"
    assert frontend_labels(stack) == (
        {"nvidia.com/gpu.product": "NVIDIA-B200", "kubernetes.io/arch": "amd64"},
    )


def test_copies_on_the_nodes_own_disks_are_no_claim_and_leave_nothing() -> None:
    stack = resolved(on_nodes(eks_gb200_settings()))
    assert stack.infrastructure is not None
    assert stack.infrastructure.storage is not None
    assert stack.infrastructure.storage.typed.kind == "instanceStore"
    assert isinstance(stack.cache, NodeCopies)
    assert stack.cache.nodes.directory == "/mnt/k8s-disks/0/gpt-oss-model-cache"
    assert {item.kind for item in stack.retained}.isdisjoint({"PersistentVolumeClaim", "EBS volume"})


def _two_nodes(settings: Settings) -> None:
    settings["nodePools"][0]["nodes"] = 2


def _two_pools(settings: Settings) -> None:
    first = settings["nodePools"][0]
    settings["nodePools"] = [
        {**first, "name": "prompts", "labels": {"for": "prompts"}},
        {**first, "name": "answers", "labels": {"for": "answers"}},
    ]
    settings["serving"].pop("pool")
    settings["serving"]["pools"] = {"prefill": "prompts", "decode": "answers"}


def _two_zones(settings: Settings) -> None:
    _two_pools(settings)
    settings["nodePools"][1]["zone"] = "us-east-1b"


def _many_frontends(settings: Settings) -> None:
    settings["serving"]["replicas"] = {"frontend": 40}


def _lustre(**more: str) -> Change:
    def change(settings: Settings) -> None:
        settings["modelCache"] = {"size": "1200Gi", "storage": {"kind": "fsxLustre", **more}}

    return change


def _size(size: str) -> Change:
    return lambda settings: settings["modelCache"].update(size=size)


@pytest.mark.parametrize(
    ("settings", "change", "says"),
    [
        (
            on_disk(eks_b200_settings()),
            _two_nodes,
            (
                "modelCache.storage.kind = 'ebs'",
                "one node mounts a disk of EBS, and pool b200 has 2",
                "allowed: fsxLustre, efs or instanceStore",
                "try: instanceStore, a copy on each node; or nodePools[0].nodes: 1",
            ),
        ),
        (
            on_disk(eks_b200_settings()),
            _two_pools,
            ("the workers are in pools prompts and answers", "try: efs"),
        ),
        (
            on_disk(eks_b200_settings()),
            _many_frontends,
            ("serving.replicas.frontend = 40", "they ask for 164 CPUs", "beside the workers there are"),
        ),
        (
            on_nodes(eks_b200_settings()),
            _size("40000Gi"),
            ("modelCache.size", "the disks of a node of p6-b200.48xlarge are 8 x 3800 GB", "Gi or less"),
        ),
        (
            eks_b200_settings(),
            _two_zones,
            ("prompts (us-east-1a) and answers (us-east-1b) are not", "allowed: efs, instanceStore"),
        ),
        (
            eks_gb200_settings(),
            _lustre(),
            (
                "is in the Local Zone us-east-1-dfw-2a, in which no file system of FSx is documented",
                "try: instanceStore, a copy on each node",
            ),
        ),
        (
            eks_b200_settings(),
            _lustre(zone="us-east-1b"),
            ("modelCache.storage.zone", "every file would come from another zone", "try: us-east-1a"),
        ),
    ],
)
def test_what_could_not_be_mounted_is_refused_with_the_reason_and_the_fix(
    settings: Settings, change: Change, says: tuple[str, ...]
) -> None:
    change(settings)
    text = said(settings)
    for part in says:
        assert part in text


def test_lustre_is_loaded_across_to_the_region_where_somebody_typed_its_zone() -> None:
    settings = eks_gb200_settings()
    _lustre(zone="us-east-1a")(settings)
    assert resolved(settings).infrastructure is not None


@pytest.mark.parametrize("place", [on_disk, on_nodes])
def test_a_cache_of_some_nodes_has_no_zone_of_its_own_to_be_wrong(
    place: Callable[[Settings], Settings],
) -> None:
    settings = place(eks_b200_settings())
    settings["nodePools"][0]["zone"] = "us-east-1b"
    assert resolved(settings).infrastructure is not None


def test_copies_are_on_every_pool_that_workers_run_in() -> None:
    settings = on_nodes(eks_b200_settings())
    _two_pools(settings)
    assert [selector["for"] for selector in frontend_labels(resolved(settings))] == ["prompts", "answers"]


def test_processors_that_a_worker_takes_are_none_for_frontends() -> None:
    settings = on_nodes(eks_b200_settings())
    settings["serving"] |= {"replicas": {"frontend": 12}}
    assert resolved(settings).pools[0].free_gpus == 3
    settings["serving"]["resources"] = {"decode": {"cpu": 140}}
    assert "beside the workers there are 11" in said(settings)


def test_a_full_node_still_has_room_for_a_frontend_and_its_successor() -> None:
    settings = on_nodes(eks_gb200_settings())
    settings["serving"] |= {"recipe": "gpt-oss-120b/trtllm-agg", "namespace": "gpt-oss"}
    settings["serving"].pop("kvTransport", None)
    settings["nodePools"][0]["nodes"] = 1
    assert resolved(settings).pools[0].free_gpus == 0
