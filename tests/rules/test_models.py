"""What the name of a model tells of its checkpoint."""

import pytest

from engines.command_line import UNKNOWN_WORD
from resource_graph import Resource, ResourceGraph
from rules.reading.commands.container_commands import TRTLLM_SERVE, StartCommand
from rules.reading.engines.models import checkpoint_name, read_mxfp4
from rules.reading.pods.pods import Unreadable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.shapes import Undecided

HUB = "/opt/models/hub/models--{}/snapshots/b5c939de8f754692c1647ca79fbf85e8c1e70f8a"


def worker_of(command: str, **variables: str) -> tuple[ResourceGraph, Worker]:
    """The one worker of a pod that starts the command."""
    container = {
        "name": "engine",
        "command": command.split(),
        "env": [{"name": name, "value": value} for name, value in variables.items()],
        "resources": {"limits": {"nvidia.com/gpu": 1}},
    }
    inputs = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "pod"},
        "spec": {"containers": [container]},
    }
    pod = Resource(urn="pod", type="kubernetes:core/v1:Pod", name="pod", inputs=inputs)
    graph = ResourceGraph([pod])
    (worker,) = read_workers(graph)
    assert not isinstance(worker, Unreadable)
    return graph, worker


def model_of(command: str, **variables: str) -> str | None:
    """The model whose experts are MXFP4."""
    found = read_mxfp4(*worker_of(command, **variables))
    return None if found is None else found.name


def model_called(name: str) -> str | None:
    command = f"python3 -m dynamo.trtllm --model {name}"
    assert checkpoint_name(worker_of(command)[1].commands[0]) == name
    return model_of(command)


@pytest.mark.parametrize(
    "name",
    [
        "openai/gpt-oss-120b",
        "OpenAI/GPT-OSS-120B",
        HUB.format("openai--gpt-oss-120b"),
        "/models/openai/gpt-oss-120b/",
        "/models/gpt-oss-120b",
    ],
)
def test_the_published_checkpoint_is_known_by_repository_cache_and_folder(name: str) -> None:
    assert model_called(name) == "gpt-oss-120b"


@pytest.mark.parametrize(
    "name",
    [
        "nvidia/gpt-oss-120b-FP4",
        HUB.format("nvidia--gpt-oss-120b-NVFP4"),
        "unsloth/gpt-oss-120b-BF16",
        "/models/gpt-oss-120b-bf16",
        "Qwen/Qwen3-0.6B",
        HUB.format("meta-llama--Llama-3.1-8B"),
        "/models/llama",
        "/opt/models/patched/NVIDIA-Nemotron-3-Ultra-NVFP4",
        "${MODEL_NAME}",
    ],
)
def test_another_format_or_another_model_has_no_mxfp4_experts(name: str) -> None:
    assert model_called(name) is None


@pytest.mark.parametrize("name", ["/model", "someone/gpt-oss-120b", "/models/gpt-oss-120b-mxfp4"])
def test_a_name_that_does_not_tell_leaves_it_undecided(name: str) -> None:
    with pytest.raises(Undecided, match="does not tell"):
        model_called(name)


def test_a_folder_of_another_name_may_hold_it_where_it_is_served_as_gpt_oss() -> None:
    with pytest.raises(Undecided, match="does not tell"):
        model_of(
            "python3 -m dynamo.trtllm --model-path /models/tuned --served-model-name openai/gpt-oss-120b"
        )


@pytest.mark.parametrize(
    "command",
    [
        "trtllm-serve openai/gpt-oss-20b --tp_size 1",
        "trtllm-serve serve openai/gpt-oss-20b --tp_size 1",
        "vllm serve openai/gpt-oss-20b",
        "vllm serve --model openai/gpt-oss-20b",
        "python3 -m dynamo.vllm --model=openai/gpt-oss-20b",
        "python3 -m dynamo.trtllm --model-path openai/gpt-oss-20b",
        # Of two names the last on the line acts.
        "python3 -m dynamo.trtllm --model /models/other --model-path openai/gpt-oss-20b",
    ],
)
def test_every_program_names_its_model_in_its_own_way(command: str) -> None:
    assert model_of(command) == "gpt-oss-20b"


def test_dynamo_takes_the_model_from_its_variable() -> None:
    assert model_of("python3 -m dynamo.trtllm", DYN_TRTLLM_MODEL="openai/gpt-oss-20b") == "gpt-oss-20b"


@pytest.mark.parametrize(
    "command", ["python3 -m dynamo.trtllm", "trtllm-serve --tp_size 1", "sleep infinity"]
)
def test_a_command_without_a_model_leaves_it_undecided(command: str) -> None:
    graph, worker = worker_of(command)
    for _ in range(2):
        with pytest.raises(Undecided, match=r"model|no engine"):
            read_mxfp4(graph, worker)


def test_a_model_that_only_the_run_knows_is_not_taken_for_none() -> None:
    with pytest.raises(Undecided, match="the name of its model is unknown"):
        checkpoint_name(StartCommand(TRTLLM_SERVE, (UNKNOWN_WORD,), {}))
