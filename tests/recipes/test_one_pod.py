"""Prefill and decode as processes of one pod: what the pod is, and which recipes may ask for it."""

import re
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from recipes.graph_manifest import graph_spec
from recipes.load import CATALOGUE, load_recipe, parse_recipe
from recipes.pod_processes import processes_of
from tests.support.graph_pods import main_of, pods_of
from tests.support.placed_recipes import AGGREGATED, ONE_POD, in_one_pod, over

WORKER = "TrtllmWorker"


def _pod() -> dict[str, Any]:
    placed = in_one_pod()
    return pods_of(graph_spec(placed))[WORKER]


def _texts() -> dict[str, str]:
    """The text that each worker's shell runs."""
    words = main_of(_pod())["args"]
    places = [index for index, word in enumerate(words) if re.fullmatch(r"\w+:\d+", word)]
    return {words[index]: words[index + 3] for index in places}


def test_each_worker_sees_its_own_gpus_first_and_has_a_port_of_its_own_for_metrics() -> None:
    ports = [re.findall(r"DYN_FORWARDPASS_METRIC_PORT=(\S+)", text) for text in _texts().values()]
    assert ports == [["20380"], ["20480"]]
    visible = [re.findall(r"CUDA_VISIBLE_DEVICES=(\S+)", text) for text in _texts().values()]
    assert visible == [["0,1,2,3,4,5,6,7"], ["4,5,6,7,0,1,2,3"]]


def test_each_worker_reads_its_own_engine_file_and_takes_its_shells_place() -> None:
    for (place, text), role in zip(_texts().items(), ("prefill", "decode"), strict=True):
        assert place.startswith(role)
        assert f"ENGINE_ARGS=/opt/dynamo/configs/{role}.yaml" in text
        assert "&& exec python3 -m dynamo.trtllm --model-path" in text
        assert f"--disaggregation-mode {role}" in text


def test_each_worker_registers_as_a_container_that_is_ready_when_it_is() -> None:
    registered = [re.findall(r"CONTAINER_NAME=(\S+)", text) for text in _texts().values()]
    assert registered == [["prefill"], ["main"]]
    containers = {each["name"]: each for each in _pod()["spec"]["containers"]}
    assert containers.keys() == {"main", "prefill"}
    assert containers["prefill"]["readinessProbe"]["httpGet"] == {"path": "/health", "port": 9091}
    placed = in_one_pod()
    frontend = main_of(pods_of(graph_spec(placed))["Frontend"])["env"]
    for variables in (frontend, main_of(_pod())["env"]):
        assert variables["DYN_KUBE_DISCOVERY_MODE"] == "container"
    assert frontend["CONTAINER_NAME"] == "main"
    # Pods of their own need none of this.
    assert "DYN_KUBE_DISCOVERY_MODE" not in str(graph_spec(over("tcp")))


def test_nvlink_asks_for_the_ptrace_capability_and_for_root_and_tcp_for_neither() -> None:
    security = main_of(_pod())["securityContext"]
    assert security["runAsUser"] == 0
    assert security["capabilities"] == {"drop": ["ALL"], "add": ["DAC_OVERRIDE", "SYS_PTRACE"]}
    plain = main_of(pods_of(graph_spec(in_one_pod("tcp")))[WORKER])["securityContext"]
    assert plain["runAsUser"] == 1000
    assert plain["capabilities"] == {"drop": ["ALL"]}


@pytest.mark.parametrize(
    ("recipe", "one_pod", "service", "change", "said"),
    [
        (ONE_POD, "frontend", 0, {}, "onePod frontend is the name of another service"),
        (ONE_POD, WORKER, 1, {"replicas": 2}, "write the same replicas, and workersPerPod"),
        (ONE_POD, WORKER, 1, {"sharedMemory": "20Gi"}, "prefill and decode share one /dev/shm"),
        (ONE_POD, WORKER, 0, {"workersPerPod": 2}, "Frontend: workersPerPod is for workers that share a pod"),
        (AGGREGATED, "Both", 1, {}, "onePod is for prefill and decode workers"),
    ],
    ids=["name of another", "two numbers of pods", "two sizes", "frontends by pod", "nothing to share"],
)
def test_workers_that_cannot_share_a_pod_are_refused(
    recipe: str, one_pod: str, service: int, change: dict[str, Any], said: str
) -> None:
    content = yaml.safe_load((CATALOGUE / f"{recipe}.yaml").read_text(encoding="utf-8"))
    content["onePod"] = one_pod
    content["services"][service] |= change
    with pytest.raises(ValidationError, match=re.escape(said)):
        parse_recipe(yaml.safe_dump(content))


def test_a_pod_runs_as_many_workers_of_each_role_as_asked_for_apart_from_each_other() -> None:
    recipe = load_recipe("gpt-oss-120b/trtllm-disagg-one-pod")
    [pod] = [pod for pod in recipe.with_workers_per_pod({"prefill": 3, "decode": 2}).pods if pod.gpus]
    processes = processes_of(pod)
    assert [each.name for each in processes] == ["prefill", "prefill-2", "prefill-3", "decode", "decode-2"]
    registered = [each.registered_as for each in processes]
    assert registered == ["prefill", "prefill-2", "prefill-3", "main", "decode-2"]
    assert [each.system_port for each in processes] == [9091, 9092, 9093, 9094, 9095]
    own = [gpu for each in processes for gpu in each.gpus]
    assert own == list(range(pod.gpus)) == list(range(7))
    for each in processes:
        visible = [int(gpu) for gpu in each.visible_gpus.split(",")]
        assert visible[: len(each.gpus)] == list(each.gpus)
        assert sorted(visible) == own
