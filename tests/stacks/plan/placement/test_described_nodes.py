"""Pools that describe their nodes, because no EC2 instance type does."""

from typing import Any

import pytest

from recipes.placed import Toleration
from tests.stacks.changed_settings import GONE, Settings, changed, said
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
TYPE = "nodePools[0].instanceType"
TAINTS = [
    {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
    {"key": "example.com/team", "value": "inference", "effect": "NoExecute"},
    {"key": "example.com/reserved", "effect": "NoSchedule"},
]


def _placements(settings: Settings) -> list[Any]:
    return [worker.placement for worker in resolved(settings).serving.placed.workers]


@pytest.mark.parametrize(
    ("settings", "selector"),
    [
        (
            described_settings(),
            {"cloud.google.com/gke-accelerator": "nvidia-b200", "kubernetes.io/arch": "amd64"},
        ),
        (
            described_settings(labels={}),
            {"nvidia.com/gpu.product": "NVIDIA-B200", "kubernetes.io/arch": "amd64"},
        ),
        (
            described_settings(nodes=2, **GB200_TRAY | {"accelerator": "GB300"}),
            {"nvidia.com/gpu.product": "NVIDIA-GB300", "kubernetes.io/arch": "arm64"},
        ),
    ],
)
def test_workers_find_described_nodes_by_their_labels_or_by_the_product_of_their_gpus(
    settings: Settings, selector: dict[str, str]
) -> None:
    for placement in _placements(settings):
        assert placement.node_selector == selector


def test_taints_of_described_nodes_are_tolerated_each_once() -> None:
    for placement in _placements(described_settings(taints=TAINTS)):
        assert placement.tolerations == (
            Toleration("nvidia.com/gpu", "Exists", "NoSchedule"),
            Toleration("example.com/team", "Equal", "NoExecute", "inference"),
            Toleration("example.com/reserved", "Exists", "NoSchedule"),
        )


def test_described_trays_share_nvlink_as_gb200_of_ec2_does() -> None:
    settings = changed(described_settings(nodes=2, **GB200_TRAY), {"serving.kvTransport": "mnnvl"})
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
            "arm64",
            None,
        ),
        (
            {"architecture": "arm64"},
            "architecture",
            "B200 is in amd64 machines alone",
            "amd64",
            None,
        ),
        ({"gpus": 3}, "gpus", "no machine has that many B200", "1, 2, 4 or 8", None),
        ({**GB200_TRAY, "gpus": 8}, "gpus", "no machine has that many GB200", "1, 2 or 4", None),
        (
            {"nvlinkDomainGpus": 4},
            "nvlinkDomainGpus",
            "no NVLink domain of B200 has that many GPUs",
            "8",
            None,
        ),
        (
            {"nvlinkDomainGpus": 72},
            "nvlinkDomainGpus",
            "no NVLink domain of B200 has that many GPUs",
            "8",
            None,
        ),
        (
            {**GB200_TRAY, "nvlinkDomainGpus": 34},
            "nvlinkDomainGpus",
            "no NVLink domain of GB200 has that many GPUs",
            "4, or a multiple up to 72",
            None,
        ),
        (
            {**GB200_TRAY, "nvlinkDomainGpus": 144},
            "nvlinkDomainGpus",
            "no NVLink domain of GB200 has that many GPUs",
            "4, or a multiple up to 72",
            None,
        ),
        (
            {**GB200_TRAY, "nvlinkDomainGpus": None},
            "nvlinkDomainGpus",
            "is missing: NVLink of GB200 can cross nodes, which decides how workers start",
            "4 where nothing joins the nodes, or the GPUs of the rack, such as 36 or 72",
            None,
        ),
    ],
)
def test_a_description_that_contradicts_itself_is_refused(
    changes: dict[str, Any], key: str, message: str, allowed: str | None, suggestion: str | None
) -> None:
    [problem] = problems_of(described_settings(**changes))
    assert problem.key == f"nodePools[0].node.{key}"
    assert (problem.message, problem.allowed, problem.suggestion) == (message, allowed, suggestion)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        pytest.param(
            described_settings(accelerator="H200", labels={}),
            "serving.pool = 'gpus'\n"
            "  TrtllmPrefillWorker uses W4A8_MXFP4_MXFP8, which H200 (hopper) has no kernels for\n"
            "  allowed: a pool of Blackwell GPUs\n",
            id="a GPU without kernels for the recipe",
        ),
        pytest.param(
            described_settings(memory="100Gi"),
            "serving.resources.prefill.memory\n"
            "  TrtllmPrefillWorker needs 80 GiB of shared memory and 61 GiB for weights, and has 11 GiB\n"
            "  try: more GPUs for each worker (tensor_parallel_size)",
            id="too little memory for one worker",
        ),
        pytest.param(
            changed(described_settings(), {TYPE: "p6-b200.48xlarge"}),
            "nodePools[0].instanceType = 'p6-b200.48xlarge'\n"
            "  says what the nodes are, and so does node\n"
            "  try: leave one of them out",
            id="an instance type as well",
        ),
        pytest.param(
            changed(disagg_b200_settings(), {TYPE: GONE}),
            "nodePools[0].instanceType\n"
            "  is missing: an EC2 instance type, or node, which describes the pool's nodes\n"
            "  allowed: p6-b200.48xlarge, p6-b300.48xlarge",
            id="neither of both",
        ),
        pytest.param(
            changed(eks_b200_settings(), {TYPE: GONE, "nodePools[0].node": described_node()}),
            "nodePools[0].node\n"
            "  describes nodes that exist, and the stack makes those of its own cluster\n"
            "  try: instanceType",
            id="a cluster that is made",
        ),
        pytest.param(
            changed(disagg_b200_settings(), {TYPE: "p6e-gb300.36xlarge"}),
            "nodePools[0].instanceType = 'p6e-gb300.36xlarge'\n"
            "  AWS publishes neither its processors and memory nor its network cards, so nothing can be "
            "sized\n"
            "  allowed: p6-b200.48xlarge, p6-b300.48xlarge, p6e-gb200.36xlarge, p5en.48xlarge, p5e.48xlarge, "
            "p5.48xlarge, p5.4xlarge\n"
            "  try: node with accelerator GB300 on an existing cluster",
            id="GB300 of EC2",
        ),
    ],
)
def test_nodes_that_cannot_be_described_so_are_refused_with_what_works_instead(
    settings: Settings, says: str
) -> None:
    assert said(settings).startswith(f"Pulumi.dev.yaml: {says}")


def test_pools_of_different_gpus_need_no_label_to_tell_them_apart() -> None:
    spare = {"name": "spare", "node": described_node(accelerator="H200", labels={}), "nodes": 1}
    two = changed(described_settings(labels={}), {"nodePools": [*described_settings()["nodePools"], spare]})
    assert [placed.pool.name for placed in resolved(two).pools] == ["gpus", "spare"]
    same = changed(two, {"nodePools[0].node.labels": {}, "nodePools[1].node.accelerator": "B200"})
    assert "the scheduler cannot tell these pools apart" in said(same)
