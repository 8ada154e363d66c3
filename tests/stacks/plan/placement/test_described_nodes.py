"""Pools that describe their nodes, because no EC2 instance type does."""

from typing import Any

import pytest

from recipes.placed import Toleration
from tests.support.dev_settings import (
    described_node,
    described_settings,
    disagg_b200_settings,
    problems_of,
    resolved,
)
from tests.support.eks_settings import eks_b200_settings

GB200_TRAY = {
    "accelerator": "GB200",
    "architecture": "arm64",
    "gpus": 4,
    "nvlinkDomainGpus": 72,
    "labels": {},
}


def _placements(settings: dict[str, Any]) -> list[Any]:
    return [worker.placement for worker in resolved(settings).serving.placed.workers]


def test_workers_find_described_nodes_by_their_labels_instead_of_the_product() -> None:
    for placement in _placements(described_settings()):
        assert placement.node_selector == {
            "cloud.google.com/gke-accelerator": "nvidia-b200",
            "kubernetes.io/arch": "amd64",
        }


def test_nodes_without_labels_are_found_by_the_product_of_their_gpus() -> None:
    for placement in _placements(described_settings(labels={})):
        assert placement.node_selector["nvidia.com/gpu.product"] == "NVIDIA-B200"


def test_taints_of_described_nodes_are_tolerated_each_once() -> None:
    taints = [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
        {"key": "example.com/team", "value": "inference", "effect": "NoExecute"},
        {"key": "example.com/reserved", "effect": "NoSchedule"},
    ]
    for placement in _placements(described_settings(taints=taints)):
        assert placement.tolerations == (
            Toleration("nvidia.com/gpu", "Exists", "NoSchedule"),
            Toleration("example.com/team", "Equal", "NoExecute", "inference"),
            Toleration("example.com/reserved", "Exists", "NoSchedule"),
        )


def test_workers_share_a_described_node_by_their_gpus() -> None:
    prefill, decode = resolved(described_settings()).serving.placed.workers
    assert prefill.resources is not None
    assert decode.resources is not None
    # Nine tenths of 220 CPUs and 3900 GiB, for one and for four of eight GPUs.
    assert (prefill.resources.cpu_request, prefill.resources.memory_gib) == (24, 438)
    assert (decode.resources.cpu_request, decode.resources.memory_gib) == (99, 1755)


def test_described_trays_share_nvlink_as_gb200_of_ec2_does() -> None:
    settings = described_settings(nodes=2, **GB200_TRAY)
    settings["serving"]["kvTransport"] = "mnnvl"
    placed = resolved(settings).serving.placed
    assert placed.compute_domain is not None
    assert placed.same_clique


@pytest.mark.parametrize(
    ("changes", "key", "message", "allowed", "suggestion"),
    [
        (
            {"accelerator": "B20"},
            "accelerator",
            "not a GPU that is known here",
            "B200, GB200, B300, GB300, H200, H100, A100, A100-40GB",
            "B200",
        ),
        (
            {"accelerator": "GB200", "gpus": 4, "nvlinkDomainGpus": 72},
            "architecture",
            "GB200 is in arm64 machines alone",
            None,
            "architecture: arm64, or accelerator: B200",
        ),
        (
            {"architecture": "arm64"},
            "architecture",
            "B200 is in amd64 machines alone",
            None,
            "architecture: amd64, or accelerator: GB200",
        ),
        ({"gpus": 3}, "gpus", "no machine has that many B200", "1, 2, 4 or 8", None),
        ({**GB200_TRAY, "gpus": 8}, "gpus", "no machine has that many GB200", "1, 2 or 4", None),
        ({"nvlinkDomainGpus": 4}, "nvlinkDomainGpus", "is smaller than one node, which has 8", None, "8"),
        ({"nvlinkDomainGpus": 72}, "nvlinkDomainGpus", "the NVLink of B200 ends at the node", "8", None),
        (
            {**GB200_TRAY, "nvlinkDomainGpus": 34},
            "nvlinkDomainGpus",
            "is no multiple of the 4 GPUs of a node",
            None,
            "32 or 36",
        ),
        (
            {**GB200_TRAY, "nvlinkDomainGpus": 144},
            "nvlinkDomainGpus",
            "no NVLink domain of GB200 is that large",
            "72 or less",
            None,
        ),
        (
            {**GB200_TRAY, "nvlinkDomainGpus": None},
            "nvlinkDomainGpus",
            "is missing: NVLink of GB200 can cross nodes, which decides how workers start",
            "4 where nothing joins the nodes, or the GPUs of the rack, such as 36 or 72",
            None,
        ),
        (
            {"labels": {"kubernetes.io/arch": "arm64"}},
            "labels.kubernetes.io/arch",
            "node.architecture is amd64",
            None,
            "leave this label out",
        ),
        (
            {"labels": {"nvidia.com/gpu.product": "NVIDIA-H200"}},
            "labels.nvidia.com/gpu.product",
            "is the label of H200, and node.accelerator is B200",
            None,
            "NVIDIA-B200",
        ),
    ],
)
def test_a_description_that_contradicts_itself_is_refused(
    changes: dict[str, Any], key: str, message: str, allowed: str | None, suggestion: str | None
) -> None:
    [problem] = problems_of(described_settings(**changes))
    assert problem.key == f"nodePools[0].node.{key}"
    assert (problem.message, problem.allowed, problem.suggestion) == (message, allowed, suggestion)


def test_hopper_nodes_are_refused_for_a_recipe_without_kernels_for_them() -> None:
    problems = problems_of(described_settings(accelerator="H200", labels={}))
    assert {problem.key for problem in problems} == {"serving.pool"}
    assert "which H200 (hopper) has no kernels for" in problems[0].message


def test_nodes_too_small_for_one_worker_are_refused_with_what_it_needs() -> None:
    problems = problems_of(described_settings(memory="100Gi"))
    assert problems[0].message == (
        "TrtllmPrefillWorker needs 80 GiB of shared memory and 61 GiB for weights; 1 GPU of 8xB200-amd64 "
        "come with 11 GiB"
    )


def test_a_pool_names_its_instance_type_or_describes_its_nodes_and_not_both() -> None:
    settings = described_settings()
    settings["nodePools"][0]["instanceType"] = "p6-b200.48xlarge"
    [problem] = problems_of(settings)
    assert (problem.key, problem.suggestion) == ("nodePools[0].instanceType", "leave one of them out")
    settings = disagg_b200_settings()
    del settings["nodePools"][0]["instanceType"]
    [problem] = problems_of(settings)
    assert problem.message == "is missing: an EC2 instance type, or node, which describes the pool's nodes"


def test_the_domain_of_a_described_node_stands_in_its_description() -> None:
    settings = described_settings(**GB200_TRAY)
    settings["nodePools"][0]["nvlinkDomainGpus"] = 72
    [problem] = problems_of(settings)
    assert (problem.key, problem.suggestion) == ("nodePools[0].nvlinkDomainGpus", "node.nvlinkDomainGpus")


def test_a_cluster_that_is_made_has_no_described_nodes() -> None:
    settings = eks_b200_settings()
    pool = settings["nodePools"][0]
    del pool["instanceType"]
    pool["node"] = described_node()
    [problem] = problems_of(settings)
    assert (problem.key, problem.suggestion) == ("nodePools[0].node", "instanceType: p6-b200.48xlarge")


def test_gb300_of_ec2_is_refused_with_what_works_instead() -> None:
    settings = disagg_b200_settings()
    settings["nodePools"][0]["instanceType"] = "p6e-gb300.36xlarge"
    [problem] = problems_of(settings)
    assert problem.message.startswith("AWS publishes neither its processors and memory nor its network cards")
    assert "node with accelerator GB300" in str(problem.suggestion)


def test_gb300_trays_elsewhere_can_be_described() -> None:
    settings = described_settings(nodes=2, **GB200_TRAY | {"accelerator": "GB300"})
    [one, other] = _placements(settings)
    assert one.node_selector == other.node_selector
    assert one.node_selector["nvidia.com/gpu.product"] == "NVIDIA-GB300"


def test_pools_of_different_gpus_need_no_label_to_tell_them_apart() -> None:
    settings = described_settings()
    settings["nodePools"].append(
        {"name": "spare", "node": described_node(accelerator="H200", labels={}), "nodes": 1}
    )
    assert [placed.pool.name for placed in resolved(settings).pools] == ["gpus", "spare"]
    settings["nodePools"][1]["node"] = described_node(labels={})
    [problem] = problems_of(settings)
    assert "the scheduler cannot tell these pools apart" in problem.message
