"""The recipe for the GPUs of the pools, and a stack that needs no platform."""

from typing import Any

import pytest

from tests.support.dev_settings import disagg_b200_settings, problems_of, resolved
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import served_settings, shipped_settings


def _settings(**serving: Any) -> dict[str, Any]:
    settings = served_settings("latency-b200")
    settings["serving"] |= serving
    return settings


def _one_gpu_node() -> dict[str, Any]:
    pool = {"name": "b200", "instanceType": "p5.4xlarge", "nodes": 1}
    return served_settings("latency-b200") | {"nodePools": [pool]}


def test_without_a_number_a_server_takes_all_gpus_of_a_node() -> None:
    for kind, gpus in (("p6-b200.48xlarge", 8), ("p6e-gb200.36xlarge", 4), ("p5en.48xlarge", 8)):
        settings = _settings()
        del settings["serving"]["gpusPerWorker"]
        settings["nodePools"][0]["instanceType"] = kind
        [worker] = resolved(settings).serving.placed.workers
        assert worker.gpus == gpus


@pytest.mark.parametrize(
    ("settings", "key", "said", "allowed"),
    [
        (_settings(gpusPerWorker=3), "serving.gpusPerWorker", "cannot be split over 3 GPUs", "1 or 4 or 8"),
        (_one_gpu_node(), "serving.gpusPerWorker", "a node of pool b200", "1"),
        (
            disagg_b200_settings() | {"serving": disagg_b200_settings()["serving"] | {"gpusPerWorker": 4}},
            "serving.gpusPerWorker",
            "has prefill and decode workers, each with GPUs of its own",
            None,
        ),
    ],
    ids=["a number that the guide has no command for", "more than a node has", "a split recipe"],
)
def test_a_number_of_gpus_that_cannot_be_is_refused_with_those_that_can(
    settings: dict[str, Any], key: str, said: str, allowed: str | None
) -> None:
    [problem] = problems_of(settings)
    assert (problem.key, problem.allowed) == (key, allowed)
    assert said in problem.message


def test_a_platform_that_nothing_would_use_is_refused() -> None:
    [problem] = problems_of(_settings() | {"platform": disagg_b200_settings()["platform"]})
    assert (problem.key, problem.suggestion) == ("platform", "leave it out")
    assert "is served by trtllm-serve, without Dynamo" in problem.message


def test_a_platform_that_is_missing_is_asked_for() -> None:
    settings = disagg_b200_settings()
    del settings["platform"]
    [problem] = problems_of(settings)
    assert (problem.key, problem.message) == ("platform", "is missing: the recipe is served by Dynamo")


def test_without_dynamo_the_program_makes_a_deployment_after_the_model_and_a_service_after_it() -> None:
    graph = recorded_stack(resolved(_settings()))
    types = {resource.type for resource in graph}
    assert not {kind for kind in types if "helm" in kind or "nvidia.com" in kind}
    [deployment] = graph.of_type("kubernetes:apps/v1:Deployment")
    [service] = graph.of_type("kubernetes:core/v1:Service")
    assert deployment.urn in service.dependencies
    [download] = graph.of_type("kubernetes:batch/v1:Job")
    assert download.urn in deployment.dependencies


def test_an_exposed_server_is_what_the_load_balancer_leads_to() -> None:
    graph = recorded_stack(resolved(_settings(exposure={"kind": "internalLoadBalancer"})))
    inputs = [each.inputs for each in graph.of_type("kubernetes:core/v1:Service")]
    selectors = [each["spec"]["selector"] for each in inputs]
    assert len(selectors) == 2
    assert selectors[0] == selectors[1]


def test_gpus_per_worker_and_overrides_that_make_another_worker_are_refused() -> None:
    settings = shipped_settings("throughput-h200")
    parallelism = {"tensor_parallel_size": 4, "moe_expert_parallel_size": 4}
    settings["serving"]["overrides"] = {"worker": parallelism}
    [problem] = [each for each in problems_of(settings) if each.key == "serving.gpusPerWorker"]
    assert (problem.value, problem.allowed) == (8, "4")
    assert problem.message == "serving.overrides make a worker of 4 GPUs"
