"""The recipe for the GPUs of the pools, and a stack that needs no platform."""

import pytest

from tests.stacks.changed_settings import GONE, Settings, changed, override, said
from tests.support.dev_settings import disagg_b200_settings, problems_of, resolved
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import served_settings, shipped_settings

SERVER = served_settings("latency-b200")
ONE_GPU = [{"name": "b200", "instanceType": "p5.4xlarge", "nodes": 1}]


@pytest.mark.parametrize(
    ("kind", "gpus"), [("p6-b200.48xlarge", 8), ("p6e-gb200.36xlarge", 4), ("p5en.48xlarge", 8)]
)
def test_without_a_number_a_server_takes_all_gpus_of_a_node(kind: str, gpus: int) -> None:
    settings = changed(SERVER, {"serving.gpusPerWorker": GONE, "nodePools[0].instanceType": kind})
    assert [worker.gpus for worker in resolved(settings).serving.placed.workers] == [gpus]


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        pytest.param(
            changed(SERVER, {"serving.gpusPerWorker": 3}),
            "serving.gpusPerWorker = 3\n"
            "  gpt-oss-120b/trtllm-low-latency cannot be split over 3 GPUs\n"
            "  allowed: 1 or 4 or 8",
            id="a number that the guide has no command for",
        ),
        pytest.param(
            changed(SERVER, {"nodePools": ONE_GPU}),
            "serving.gpusPerWorker = 8\n"
            "  a node of pool b200 (1 x p5.4xlarge, 1 GPU) has 1 GPU\n"
            "  allowed: 1",
            id="more than a node has",
        ),
        pytest.param(
            changed(disagg_b200_settings(), {"serving.gpusPerWorker": 4}),
            "serving.gpusPerWorker = 4\n"
            "  gpt-oss-120b/trtllm-disagg has prefill and decode workers, each with GPUs of its own\n"
            "  try: leave it out, or change serving.overrides",
            id="a split recipe",
        ),
        pytest.param(
            SERVER | {"platform": disagg_b200_settings()["platform"]},
            "platform = 'own'\n"
            "  nothing would use it: gpt-oss-120b/trtllm-low-latency is served by trtllm-serve, without "
            "Dynamo\n"
            "  try: leave it out",
            id="a platform that nothing would use",
        ),
        pytest.param(
            changed(disagg_b200_settings(), {"platform": GONE}),
            "platform\n"
            "  is missing: the recipe is served by Dynamo\n"
            "  allowed: a mapping of kind own or existing",
            id="no platform",
        ),
    ],
)
def test_gpus_and_platform_that_do_not_go_with_the_recipe_are_refused(settings: Settings, text: str) -> None:
    assert said(settings) == f"Pulumi.dev.yaml: {text}"


def test_gpus_per_worker_and_overrides_that_make_another_worker_are_refused() -> None:
    parallelism = override("worker", tensor_parallel_size=4, moe_expert_parallel_size=4)
    problems = problems_of(changed(shipped_settings("throughput-h200"), parallelism))
    [problem] = [each for each in problems if each.key == "serving.gpusPerWorker"]
    assert (problem.value, problem.allowed) == (8, "4")
    assert problem.message == "serving.overrides make a worker of 4 GPUs"


def test_without_dynamo_the_program_makes_a_deployment_after_the_model_and_a_service_after_it() -> None:
    graph = recorded_stack(resolved(SERVER))
    assert [each.type for each in graph if "helm" in each.type or "nvidia.com" in each.type] == []
    [deployment] = graph.of_type("kubernetes:apps/v1:Deployment")
    [service] = graph.of_type("kubernetes:core/v1:Service")
    assert deployment.urn in service.dependencies
    [download] = graph.of_type("kubernetes:batch/v1:Job")
    assert download.urn in deployment.dependencies


def test_an_exposed_server_is_what_the_load_balancer_leads_to() -> None:
    exposed = changed(SERVER, {"serving.exposure": {"kind": "internalLoadBalancer"}})
    services = recorded_stack(resolved(exposed)).of_type("kubernetes:core/v1:Service")
    one, other = (each.inputs["spec"]["selector"] for each in services)
    assert one == other
