"""Rules judge pods on nodes that a program describes as they judge them on EC2's."""

from typing import Any

import pytest

from rules.reading.pools import Pool, read_pools
from tests.rules.judging import DECODE, PREFILL, found, in_program, judge, messages, mutated

NODE = {"accelerator": "B200", "gpus": 8, "cpu": 220, "memoryGib": 3900, "nvlinkDomainGpus": 8}


def _judged(**changes: Any) -> Any:
    placement = {
        service: {"pool": "gpus", "node": NODE | changes, "nodes": 2} for service in (PREFILL, DECODE)
    }
    return judge(in_program(mutated(), inputs={"placement": placement}))


def test_a_worker_that_is_larger_than_a_described_node_is_told_so() -> None:
    assert not {each for each in found(_judged()) if each[0] == "worker-fits-node"}
    report = _judged(gpus=2, nvlinkDomainGpus=2)
    assert ("worker-fits-node", "failed", DECODE) in found(report)
    assert "asks for 4 GPUs in one pod, and a node of its pool (2xB200-amd64) has at most 2" in messages(
        report
    )


def _labels(**labels: str) -> Any:
    pool = {"name": "gpus", "node": NODE, "nodes": 2, "labels": labels, "nvlinkDomainGpus": 8}
    pool_read = read_pools(in_program(mutated(), inputs={"nodePools": [pool]}))["gpus"]
    assert isinstance(pool_read, Pool)
    return pool_read.labels


def test_a_described_node_carries_feature_discovery_s_labels_where_one_of_them_finds_it() -> None:
    by_product = _labels(**{"nvidia.com/gpu.product": "NVIDIA-B200"})
    assert (by_product["nvidia.com/gpu.present"], by_product["nvidia.com/gpu.count"]) == ("true", "8")
    by_cloud = _labels(**{"cloud.google.com/gke-accelerator": "nvidia-b200"})
    assert by_cloud.keys() == {"kubernetes.io/os", "kubernetes.io/arch", "cloud.google.com/gke-accelerator"}
    assert "node.kubernetes.io/instance-type" not in by_product


@pytest.mark.parametrize("changes", [{"accelerator": "B2000"}, {"cpu": None}])
def test_a_description_that_cannot_be_read_leaves_rules_undecided(changes: dict[str, Any]) -> None:
    report = _judged(**changes)
    assert ("worker-fits-node", "undecided", DECODE) in found(report)
    assert "describes its node with a GPU or sizes that are not known here" in messages(report)
