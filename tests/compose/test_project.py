"""What a compose project says, for the people and the Docker that read it."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from recipes.engine_files import engine_files
from tests.compose.golden import FOLDER, STACKS, text
from tests.compose.projects import (
    agg_gb200_settings,
    gpus,
    one_pod,
    one_pod_of_vllm,
    project,
    services,
    two_aggregated,
    without_dynamo,
)
from tests.support.dev_settings import disagg_b200_settings, resolved

COMPLETED = {"condition": "service_completed_successfully"}


def commands(service: dict[str, Any]) -> list[list[str]]:
    """The command line of each process in a container of several."""
    found: list[list[str]] = [[]]
    for word in service["command"]:
        if word == "--":
            found.append([])
        else:
            found[-1].append(word)
    return found


@pytest.mark.parametrize("stack", STACKS)
def test_a_compose_file_is_as_it_was_reviewed(stack: str) -> None:
    assert text(stack) == (FOLDER / f"{stack}.yaml").read_text(encoding="utf-8")


def test_workers_that_share_a_pod_share_the_container_and_its_memory_in_the_same_way() -> None:
    workers = services(one_pod())["workers"]
    prefill, decode = commands(workers)
    assert gpus(workers) == [str(number) for number in range(8)]
    assert "CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7" in prefill
    assert "CUDA_VISIBLE_DEVICES=4,5,6,7,0,1,2,3" in decode
    assert (prefill[0], decode[0]) == ("prefill:9091", "decode:9092")
    assert workers["entrypoint"] == ["python3", "/opt/dynamo/configs/supervisor.py"]
    assert workers["shm_size"] == "10g"
    # A capability acts for root alone, and one worker is no child of the other.
    assert (workers["user"], workers["cap_drop"]) == ("0", ["ALL"])
    assert workers["cap_add"] == ["DAC_OVERRIDE", "SYS_PTRACE"]
    assert services(one_pod())["frontend"]["user"] == "1000"
    assert "DYN_KUBE_DISCOVERY_MODE" not in str(services(one_pod()))


def test_two_processes_of_vllm_in_one_container_meet_others_on_ports_of_their_own() -> None:
    prefill, decode = commands(services(one_pod_of_vllm())["workers"])
    assert "VLLM_NIXL_SIDE_CHANNEL_PORT=5600" in prefill
    assert "VLLM_NIXL_SIDE_CHANNEL_PORT=5700" in decode


def test_workers_without_kv_transfer_have_a_container_each_with_gpus_that_no_other_has() -> None:
    found = services(two_aggregated())
    assert gpus(found["worker-1"]) == ["0", "1", "2", "3"]
    assert gpus(found["worker-2"]) == ["4", "5", "6", "7"]
    # Docker counts a container's GPUs from 0: a list of the host's would name some that are not there.
    assert "CUDA_VISIBLE_DEVICES" not in yaml.safe_dump(found)
    assert found["worker-1"]["environment"]["DYN_SYSTEM_PORT"] == "9091"
    assert found["worker-2"]["environment"]["DYN_SYSTEM_PORT"] == "9092"


def test_a_transport_of_the_cluster_brings_no_variable_or_image_along() -> None:
    settings = disagg_b200_settings()
    expected = services(settings)["workers"]
    settings["nodePools"][0]["nodes"] = 2
    settings["serving"]["kvTransport"] = "efa"
    assert services(settings)["workers"] == expected


def test_only_ranks_on_x86_may_open_each_other_s_memory_by_a_capability() -> None:
    one_gpu = two_aggregated()
    one_gpu["serving"]["overrides"] = {
        "worker": {"tensor_parallel_size": 1, "moe_expert_parallel_size": 1, "enable_attention_dp": False}
    }
    assert services(two_aggregated())["worker-1"]["cap_add"] == ["SYS_PTRACE"]
    assert "cap_add" not in services(agg_gb200_settings())["worker"], "arm64 has fabric memory"
    assert "cap_add" not in services(one_gpu)["worker-1"], "a single rank"


@pytest.mark.parametrize("settings", [one_pod, two_aggregated], ids=["one pod", "two workers"])
def test_only_the_frontend_can_be_reached_from_outside(settings: Callable[[], dict[str, Any]]) -> None:
    found = services(settings())
    assert [name for name, each in found.items() if "ports" in each] == ["frontend"]


def test_the_engine_files_are_those_of_the_graph() -> None:
    settings = disagg_b200_settings()
    _, graph = engine_files(resolved(settings).serving.placed)
    _, files = project(settings)
    assert {name: files[f"engine/{name}"] for name in graph} == graph
    assert "./engine:/opt/dynamo/configs:ro" in services(settings)["workers"]["volumes"]


def test_the_token_is_in_no_file_but_the_one_that_a_person_writes() -> None:
    document, files = project(agg_gb200_settings())
    assert "HF_TOKEN" not in yaml.safe_dump(document)
    assert document["services"]["model"]["env_file"] == [{"path": ".env", "required": False}]
    assert "\nHF_TOKEN=\n" in files[".env.example"]
    assert [name for name, each in document["services"].items() if "env_file" in each] == ["model"]


def test_images_come_from_the_mirror() -> None:
    mirrors = {"nvcr.io": "registry.example/nvcr", "quay.io": "registry.example/quay"}
    mirrors["docker.io"] = "registry.example/hub"
    found = services({**agg_gb200_settings(), "imageMirrors": mirrors})
    assert {each["image"].partition("/")[0] for each in found.values()} == {"registry.example"}


def test_a_model_that_others_brought_is_checked_and_a_person_says_where_it_is() -> None:
    settings = agg_gb200_settings()
    settings["model"] = {"source": {"kind": "existingVolume", "claimName": "weights"}}
    del settings["modelCache"]
    document, files = project(settings)
    found = document["services"]
    assert "model-owner" not in found, "what belongs to others is not given away"
    assert found["model"]["volumes"] == ["${MODEL_CACHE:?the directory that holds the model}:/opt/models"]
    assert found["worker"]["volumes"][0] == found["model"]["volumes"][0]
    assert "volumes" not in document
    assert "\nMODEL_CACHE=\n" in files[".env.example"]


def test_a_model_in_a_bucket_is_copied_with_what_the_env_file_says() -> None:
    settings = agg_gb200_settings()
    settings["model"] = {"source": {"kind": "s3", "address": "s3://bucket/prefix", "serviceAccountName": "x"}}
    document, files = project(settings)
    model = document["services"]["model"]
    assert "s3://bucket/prefix" in model["command"][0]
    # The role of the host may be all that there is.
    assert "AWS_EC2_METADATA_DISABLED" not in model["environment"]
    assert "#AWS_ACCESS_KEY_ID=" in files[".env.example"]


def test_a_server_without_dynamo_needs_neither_frontend_nor_etcd_nor_nats() -> None:
    document, files = project(without_dynamo())
    found = document["services"]
    # Some of the publisher's images have an entrypoint that starts something else.
    assert all("entrypoint" in each for each in found.values())
    assert found.keys() == {"model-owner", "model", "server"}
    assert found["server"]["ports"] == ["${BIND_ADDRESS:-127.0.0.1}:8000:8000"]
    assert found["server"]["depends_on"] == {"model": COMPLETED}
    assert "http://127.0.0.1:8000/health" in found["server"]["healthcheck"]["test"]
    assert gpus(found["server"]) == [str(number) for number in range(8)]
    assert files.keys() == {"engine/worker.yaml", ".env.example"}
    assert not [name for name in found["server"]["environment"] if name.startswith("DYN_")]
