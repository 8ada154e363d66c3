"""Prefill and decode as processes of one pod: what the pod is, and which recipes may ask for it."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from recipes.load import CATALOGUE, load_recipe, parse_recipe
from recipes.pod_processes import Process, processes_of
from recipes.services import PodRecipe
from tests.support.graph_pods import main_of, pods_of
from tests.support.placed_recipes import ONE_POD, in_one_pod, over

WORKER = "TrtllmWorker"


def _pod() -> dict[str, Any]:
    placed = in_one_pod()
    return pods_of(graph_spec(placed, engine_files(placed).name))[WORKER]


def _texts() -> dict[str, str]:
    """The text that each worker's shell runs."""
    words = main_of(_pod())["args"]
    places = [index for index, word in enumerate(words) if re.fullmatch(r"\w+:\d+", word)]
    return {words[index]: words[index + 3] for index in places}


def test_one_pod_has_the_gpus_of_both_workers_and_the_shared_memory_of_the_container() -> None:
    assert main_of(_pod())["resources"]["limits"]["nvidia.com/gpu"] == "8"
    [pod] = [pod for pod in load_recipe(ONE_POD).pods if pod.gpus]
    assert (pod.service_name, pod.role, pod.gpus, pod.shared_memory) == (WORKER, "worker", 8, "10Gi")


def test_a_supervisor_starts_both_each_at_a_port_of_its_own() -> None:
    main = main_of(_pod())
    assert main["command"] == ["python3", "/opt/dynamo/configs/supervisor.py"]
    assert list(_texts()) == ["prefill:9091", "decode:9092"]
    assert main["args"].count("--") == 1


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


def test_what_both_have_alike_stands_in_the_pods_variables_and_nowhere_else() -> None:
    variables = main_of(_pod())["env"]
    assert {"TRTLLM_ENABLE_PDL", "MODEL_PATH", "HF_HOME"} <= variables.keys()
    for text in _texts().values():
        exported = re.findall(r"(\w+)=", text.partition(" && ")[0])
        assert not variables.keys() & set(exported)


def test_each_worker_registers_as_a_container_that_is_ready_when_it_is() -> None:
    registered = [re.findall(r"CONTAINER_NAME=(\S+)", text) for text in _texts().values()]
    assert registered == [["prefill"], ["main"]]
    containers = {each["name"]: each for each in _pod()["spec"]["containers"]}
    assert containers.keys() == {"main", "prefill"}
    assert containers["prefill"]["readinessProbe"]["httpGet"] == {"path": "/health", "port": 9091}
    placed = in_one_pod()
    frontend = main_of(pods_of(graph_spec(placed, "files"))["Frontend"])["env"]
    for variables in (frontend, main_of(_pod())["env"]):
        assert variables["DYN_KUBE_DISCOVERY_MODE"] == "container"
    assert frontend["CONTAINER_NAME"] == "main"
    # Pods of their own need none of this.
    assert "DYN_KUBE_DISCOVERY_MODE" not in str(graph_spec(over("tcp"), "files"))


def test_nvlink_asks_for_the_ptrace_capability_and_for_root_and_tcp_for_neither() -> None:
    security = main_of(_pod())["securityContext"]
    assert security["runAsUser"] == 0
    assert security["capabilities"] == {"drop": ["ALL"], "add": ["DAC_OVERRIDE", "SYS_PTRACE"]}
    plain = main_of(pods_of(graph_spec(in_one_pod("tcp"), "files"))[WORKER])["securityContext"]
    assert plain["runAsUser"] == 1000
    assert plain["capabilities"] == {"drop": ["ALL"]}


def _edited(change: Callable[[dict[str, Any]], object]) -> str:
    content = yaml.safe_load((CATALOGUE / f"{ONE_POD}.yaml").read_text(encoding="utf-8"))
    change(content)
    with pytest.raises(ValidationError) as raised:
        parse_recipe(yaml.safe_dump(content))
    return str(raised.value)


def test_the_pod_needs_a_name_of_its_own() -> None:
    assert "onePod frontend is the name of another service" in _edited(
        lambda content: content.update(onePod="frontend")
    )


def test_prefill_and_decode_have_the_same_pods() -> None:
    refused = _edited(lambda content: content["services"][1].update(replicas=2))
    assert "prefill and decode have the same pods: write the same replicas, and workersPerPod" in refused


def test_only_workers_that_share_a_pod_are_counted_by_pod() -> None:
    refused = _edited(lambda content: content["services"][0].update(workersPerPod=2))
    assert "Frontend: workersPerPod is for workers that share a pod (onePod)" in refused


def _several() -> tuple[PodRecipe, tuple[Process, ...]]:
    recipe = load_recipe("gpt-oss-120b/trtllm-disagg-one-pod")
    [pod] = [pod for pod in recipe.with_workers_per_pod({"prefill": 3, "decode": 2}).pods if pod.gpus]
    return pod, processes_of(pod)


def test_a_pod_runs_as_many_workers_of_each_role_as_asked_for_on_gpus_of_their_own() -> None:
    pod, processes = _several()
    assert pod.gpus == 7
    assert [each.name for each in processes] == ["prefill", "prefill-2", "prefill-3", "decode", "decode-2"]
    own = [gpu for each in processes for gpu in each.gpus]
    assert own == list(range(7))
    for each in processes:
        visible = [int(gpu) for gpu in each.visible_gpus.split(",")]
        assert visible[: len(each.gpus)] == list(each.gpus)
        assert sorted(visible) == own


def test_every_worker_of_a_pod_registers_as_another_container_and_answers_at_another_port() -> None:
    _, processes = _several()
    registered = [each.registered_as for each in processes]
    assert registered == ["prefill", "prefill-2", "prefill-3", "main", "decode-2"]
    assert [each.system_port for each in processes] == [9091, 9092, 9093, 9094, 9095]


def test_both_workers_share_one_dev_shm() -> None:
    refused = _edited(lambda content: content["services"][1].update(sharedMemory="20Gi"))
    assert "prefill and decode share one /dev/shm" in refused


def test_an_aggregated_recipe_has_nothing_to_put_in_one_pod() -> None:
    content = yaml.safe_load((CATALOGUE / "gpt-oss-120b/trtllm-agg.yaml").read_text(encoding="utf-8"))
    content["onePod"] = "Both"
    with pytest.raises(ValidationError, match="onePod is for prefill and decode workers"):
        parse_recipe(yaml.safe_dump(content))
