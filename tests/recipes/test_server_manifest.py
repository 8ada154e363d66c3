"""The Deployment and the Service of a recipe that an engine's own server serves."""

import shlex
from typing import Any

import pytest
import yaml

from engines.tensorrt_llm.keys import TRTLLM_SERVE_FLAGS
from recipes.engine_files import engine_files
from recipes.placed import PlacedRecipe
from recipes.server_manifest import client_pod_labels, server_deployment, server_service
from tests.support.shipped_stacks import served_stack

STACKS = ("latency-b200", "throughput-gb200", "throughput-h200")
EVERY_STACK = pytest.mark.parametrize("name", STACKS)


def _placed(name: str) -> PlacedRecipe:
    return served_stack(name).serving.placed


def _pod(placed: PlacedRecipe) -> dict[str, Any]:
    return server_deployment(placed)["template"]["spec"]


def _main(name: str) -> dict[str, Any]:
    [container] = _pod(_placed(name))["containers"]
    return container


def _options(placed: PlacedRecipe) -> dict[str, Any]:
    [text] = engine_files(placed)[1].values()
    return yaml.safe_load(text)


@EVERY_STACK
def test_the_command_has_no_option_that_the_file_has_too(name: str) -> None:
    [command] = _main(name)["args"]
    program, *words = shlex.split(command)
    assert (program, words[0]) == ("exec", "trtllm-serve")
    flags = [word for word in words if word.startswith("--")]
    assert set(flags) <= TRTLLM_SERVE_FLAGS
    assert {flag.removeprefix("--") for flag in flags}.isdisjoint(_options(_placed(name)))
    assert "mpirun" not in command


@EVERY_STACK
def test_clients_get_the_models_own_name_and_the_server_the_pinned_files(name: str) -> None:
    words = shlex.split(_main(name)["args"][0])
    recipe = _placed(name).recipe
    assert words[2] == recipe.model.snapshot_directory
    assert recipe.model.revision in words[2]
    assert words[words.index("--served_model_name") + 1] == "openai/gpt-oss-120b"


@pytest.mark.parametrize(
    ("name", "gpus", "backend", "file"),
    [
        ("latency-b200", 8, "TRTLLM", {"enable_attention_dp": False, "max_batch_size": 8}),
        ("throughput-gb200", 4, "TRTLLM", {"enable_attention_dp": True, "max_batch_size": 640}),
        ("throughput-h200", 8, "TRITON", {"enable_attention_dp": True, "stream_interval": 10}),
    ],
)
def test_pool_and_number_of_gpus_decide_over_the_file(
    name: str, gpus: int, backend: str, file: dict[str, Any]
) -> None:
    options = _options(_placed(name))
    assert options["tensor_parallel_size"] == options["moe_expert_parallel_size"] == gpus
    assert options["moe_config"] == {"backend": backend}
    assert options | file == options
    assert _main(name)["resources"]["limits"]["nvidia.com/gpu"] == str(gpus)


@EVERY_STACK
def test_the_server_is_no_root_and_is_asked_whether_it_serves(name: str) -> None:
    container = _main(name)
    assert container["securityContext"]["runAsNonRoot"]
    paths = {kind: container[f"{kind}Probe"]["httpGet"] for kind in ("startup", "readiness", "liveness")}
    asked = {"path": "/health", "port": 8000}
    assert all(path == asked for path in paths.values())
    startup = container["startupProbe"]
    assert startup["periodSeconds"] * startup["failureThreshold"] == 7200


@EVERY_STACK
def test_a_server_that_is_busy_keeps_its_address_until_it_would_be_started_again(name: str) -> None:
    readiness, liveness = (_main(name)[f"{kind}Probe"] for kind in ("readiness", "liveness"))
    assert readiness["timeoutSeconds"] == liveness["timeoutSeconds"] == 10
    patience = [probe["periodSeconds"] * probe["failureThreshold"] for probe in (readiness, liveness)]
    assert patience == [180, 180]


def test_ranks_share_the_memory_that_a_graphs_operator_would_have_given_them() -> None:
    [volume] = [each for each in _pod(_placed("latency-b200"))["volumes"] if "emptyDir" in each]
    assert volume["emptyDir"] == {"medium": "Memory", "sizeLimit": "80Gi"}
    mounts = {each["name"]: each["mountPath"] for each in _main("latency-b200")["volumeMounts"]}
    assert mounts[volume["name"]] == "/dev/shm"


@EVERY_STACK
def test_the_service_and_the_deployment_select_the_same_pods(name: str) -> None:
    placed = _placed(name)
    spec = server_deployment(placed)
    labels = spec["template"]["metadata"]["labels"]
    selected = spec["selector"]["matchLabels"]
    assert server_service(placed)["selector"] == selected == client_pod_labels(placed)
    assert selected.items() <= labels.items()
    # A selector cannot be changed: a version in it would make another Deployment of every update.
    assert not [key for key in selected if key.startswith("app.kubernetes.io/")]
