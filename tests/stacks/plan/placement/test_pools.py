from typing import Any

import pytest

from tests.support.dev_settings import dev_settings, disagg_b200_settings, problems_of, resolved


def _two_b200_pools(one: dict[str, str], other: dict[str, str]) -> dict[str, Any]:
    settings = disagg_b200_settings()
    settings["nodePools"] = [
        {"name": name, "instanceType": "p6-b200.48xlarge", "nodes": 1, "labels": labels}
        for name, labels in (("b200", one), ("spare", other))
    ]
    return settings


def test_two_pools_of_one_kind_are_told_apart_by_a_label() -> None:
    stack = resolved(_two_b200_pools({"example.com/use": "serving"}, {"example.com/use": "batch"}))
    for worker in stack.serving.placed.workers:
        assert worker.placement is not None
        assert worker.placement.node_selector["example.com/use"] == "serving"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {}),
        ({"example.com/use": "serving"}, {}),
        ({"example.com/use": "serving"}, {"example.com/use": "serving"}),
        # A node may carry both labels.
        ({"example.com/use": "serving"}, {"example.com/team": "batch"}),
    ],
)
def test_two_pools_that_one_node_could_be_in_are_refused(one: dict[str, str], other: dict[str, str]) -> None:
    [problem] = problems_of(_two_b200_pools(one, other))
    assert (problem.key, problem.value) == ("nodePools", "b200, spare")
    assert "the scheduler cannot tell these pools apart" in problem.message
    assert "give both a node label with different values" in str(problem.suggestion)


def test_two_instance_types_with_the_same_gpu_are_one_pool_to_the_scheduler() -> None:
    settings = dev_settings()
    settings["nodePools"] += [
        {"name": "one", "instanceType": "p5en.48xlarge", "nodes": 1},
        {"name": "two", "instanceType": "p5e.48xlarge", "nodes": 1},
    ]
    [problem] = problems_of(settings)
    assert problem.value == "one, two"
    assert "nvidia.com/gpu.product=NVIDIA-H200" in problem.message


def test_a_label_that_contradicts_the_instance_type_is_refused() -> None:
    settings = disagg_b200_settings()
    settings["nodePools"][0]["labels"] = {"kubernetes.io/arch": "arm64"}
    [problem] = problems_of(settings)
    assert problem.key == "nodePools[0].labels.kubernetes.io/arch"
    assert problem.message == "nodes of p6-b200.48xlarge carry kubernetes.io/arch=amd64"


def test_an_nvlink_domain_has_a_size_that_is_sold() -> None:
    settings = disagg_b200_settings()
    settings["nodePools"][0]["nvlinkDomainGpus"] = 72
    [problem] = problems_of(settings)
    assert (problem.key, problem.allowed) == ("nodePools[0].nvlinkDomainGpus", "8")
