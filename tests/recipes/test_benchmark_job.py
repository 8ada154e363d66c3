"""The benchmark Job, and its shell run for real against a frontend on this machine."""

import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from recipes.benchmark_job import benchmark_job, benchmark_line
from recipes.load import load_recipe
from tests.recipes.listing_frontend import EMPTY, LISTED, MODEL, listing_frontend
from tests.support.placed_recipes import placed_recipe
from tests.support.trtllm_serve import refusal

AGGREGATED, DISAGGREGATED = load_recipe("gpt-oss-120b/trtllm-agg"), load_recipe("gpt-oss-120b/trtllm-disagg")
BOTH = pytest.mark.parametrize("recipe", [AGGREGATED, DISAGGREGATED], ids=["agg", "disagg"])
ROOT = Path(__file__).parents[2]


def _job(recipe: Any, mirrors: dict[str, str] | None = None) -> dict[str, Any]:
    where = {"graph_name": "mine", "namespace": "apart", "cache_claim_name": "files"}
    return benchmark_job(placed_recipe(recipe=recipe, image_mirrors=mirrors or {}, **where))


def _pod(recipe: Any) -> dict[str, Any]:
    return _job(recipe)["spec"]["template"]["spec"]


def _words(recipe: Any) -> list[str]:
    return shlex.split(benchmark_line(recipe, "mine", "aiperf"))


def _flags(recipe: Any) -> dict[str, str]:
    command = _words(recipe)
    return {word: command[index + 1] for index, word in enumerate(command[:-1]) if word.startswith("--")}


def _allocatable(instance_type: str) -> dict[str, str]:
    """What the kubelet of such a node offers, of the lab's fixture."""
    nodes = yaml.safe_load_all((ROOT / "lab" / "fixtures" / "nodes.yaml").read_text(encoding="utf-8"))
    return next(
        node["status"]["allocatable"]
        for node in nodes
        if node["metadata"]["labels"].get("node.kubernetes.io/instance-type") == instance_type
    )


def test_low_latency_means_as_many_users_on_one_gpu_as_on_eight() -> None:
    recipe = load_recipe("gpt-oss-120b/trtllm-low-latency")
    assert recipe.benchmark_concurrency == 8
    assert recipe.benchmark.requests_at_a_time(gpus=1) == 8


def test_more_workers_get_more_requests() -> None:
    assert _flags(AGGREGATED.with_replicas({"TrtllmWorker": 3}))["--concurrency"] == "9600"
    assert _flags(DISAGGREGATED.with_replicas({"TrtllmDecodeWorker": 2}))["--concurrency"] == "2304"


@BOTH
def test_the_job_measures_its_stack_with_the_cached_tokenizer_and_keeps_each_runs_results(
    recipe: Any,
) -> None:
    job, pod = _job(recipe), _pod(recipe)
    assert (job["apiVersion"], job["kind"], job["metadata"]["namespace"]) == ("batch/v1", "Job", "apart")
    assert _flags(recipe)["--url"] == "http://mine-frontend:8000"
    assert {"name": "model-cache", "persistentVolumeClaim": {"claimName": "files"}} in pod["volumes"]
    [container] = pod["containers"]
    variables = {each["name"]: each for each in container["env"]}
    assert variables["RUN"]["valueFrom"] == {"fieldRef": {"fieldPath": "metadata.name"}}
    assert _flags(recipe)["--artifact-dir"] == "/opt/models/perf/mine/$RUN"
    assert _flags(recipe)["--tokenizer"] == recipe.model.snapshot_directory
    # AIPerf 0.13.0 refuses a path as tokenizer while this is set.
    assert "HF_HUB_OFFLINE" not in variables


@BOTH
def test_the_job_may_run_longer_than_it_waits_for_the_model(recipe: Any) -> None:
    [container] = _pod(recipe)["containers"]
    waits = {each["name"]: float(each["value"]) for each in container["env"] if "WAIT" in each["name"]}
    longest = waits["WAIT_ATTEMPTS"] * waits["WAIT_SECONDS"]
    assert _job(recipe)["spec"]["activeDeadlineSeconds"] > longest


@pytest.mark.parametrize(
    ("recipe", "node", "cpus", "memory"),
    [
        pytest.param(AGGREGATED, "p6e-gb200.36xlarge", 129, 864, id="a tray that one worker fills"),
        pytest.param(AGGREGATED, "p6-b200.48xlarge", 2 * 86, 2 * 921, id="a machine that two workers fill"),
        pytest.param(DISAGGREGATED, "p6e-gb200.36xlarge", 129, 864, id="a tray that decode fills"),
    ],
)
def test_the_job_fits_beside_workers_that_fill_a_node(recipe: Any, node: str, cpus: int, memory: int) -> None:
    [container] = _pod(recipe)["containers"]
    asked = container["resources"]["requests"]
    allocatable = _allocatable(node)
    left = float(allocatable["cpu"].removesuffix("m")) / 1000 - cpus
    # For the daemon sets of network, storage, GPUs and monitoring.
    assert left - int(asked["cpu"]) > 2
    assert int(allocatable["memory"].removesuffix("Ki")) / 2**20 - memory - int(asked["memory"][:-2]) > 8


@BOTH
def test_the_job_finds_a_node_even_where_every_node_has_gpus_or_is_arm64(recipe: Any) -> None:
    pod = _pod(recipe)
    assert "podAntiAffinity" not in pod["affinity"]
    assert "requiredDuringSchedulingIgnoredDuringExecution" not in pod["affinity"]["nodeAffinity"]
    assert {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"} in pod["tolerations"]
    assert [entry["key"] for entry in pod["tolerations"]] == ["nvidia.com/gpu", "kubernetes.io/arch"]


@BOTH
def test_the_job_has_no_privilege_and_no_secret(recipe: Any) -> None:
    pod = _pod(recipe)
    [container] = pod["containers"]
    assert "privileged" not in str(pod)
    assert "secret" not in str(pod).lower()
    assert "imagePullSecrets" not in pod
    assert (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["runAsUser"]) == (True, 1000)
    assert pod["securityContext"]["sysctls"] == [
        {"name": "net.ipv4.ip_local_port_range", "value": "1024 65000"}
    ]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }


@pytest.mark.parametrize("name", ["gpt-oss-120b/trtllm-low-latency", "gpt-oss-120b/trtllm-max-throughput"])
def test_an_engines_own_server_takes_every_field_of_a_request(name: str) -> None:
    command = _words(load_recipe(name))
    extra = [command[index + 1] for index, word in enumerate(command) if word == "--extra-inputs"]
    body = {"model": "m", "messages": [], "stream": True, "max_completion_tokens": 1024}
    fields = [entry.partition(":")[0] for entry in extra]
    assert refusal("/v1/chat/completions", body | dict.fromkeys(fields, 1)) is None


def test_the_image_comes_from_the_mirror() -> None:
    job = _job(AGGREGATED, {"docker.io": "registry.example.com/hub"})
    [container] = job["spec"]["template"]["spec"]["containers"]
    assert container["image"].startswith("registry.example.com/hub/library/python:3.12.14-bookworm@sha256:")


def test_the_shell_of_the_job_waits_before_it_sends_and_sends_what_was_written(tmp_path: Path) -> None:
    [container] = _pod(AGGREGATED)["containers"]
    shell, *arguments = [*container["command"], *container["args"]]
    install, wait, send = arguments[1].splitlines()
    assert install.endswith("--target /scratch/packages aiperf==0.13.0")
    # Installing needs PyPI; a program of that name that repeats its words takes AIPerf's place.
    words = tmp_path / "aiperf"
    words.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    words.chmod(0o755)
    arguments[1] = f"{wait}\n{send.replace('/scratch/packages/bin/aiperf', str(words))}"
    with listing_frontend((200, EMPTY), (200, LISTED)) as url:
        answer = subprocess.run(
            [shell, *arguments],
            env={
                "PATH": os.environ["PATH"],
                "MODELS_URL": url,
                "SERVED_MODEL_NAME": MODEL,
                "WAIT_ATTEMPTS": "3",
                "WAIT_SECONDS": "0",
                "RUN": "gpt-oss-120b-bench-x7k2p",
            },
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
    lists, *sent = answer.stdout.splitlines()
    assert lists.endswith(f"lists {MODEL}")
    *words, folder = _words(AGGREGATED)[1:]
    assert sent == [*words, folder.replace("$RUN", "gpt-oss-120b-bench-x7k2p")]
