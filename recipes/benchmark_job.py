"""The publisher's benchmark as a Job manifest.

A run and not a state, so it is no resource of the stack: applied by hand, measured once, deleted.
"""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hardware import GPU_RESOURCE
from recipes.benchmark import AIPERF_VERSION, CONNECTIONS_PER_WORKER, Endpoint, Load, aiperf_arguments
from recipes.images import mirrored
from recipes.model import Recipe
from recipes.model_download import (
    CACHE_VOLUME,
    IN_SCRATCH,
    PACKAGES_DIRECTORY,
    SCRATCH_DIRECTORY,
    SCRATCH_VOLUME,
    UNPRIVILEGED_POD,
    install_command,
)
from recipes.model_files import MODEL_DIRECTORY
from recipes.node_cache import cache_volume
from recipes.placed import PlacedRecipe
from recipes.pod_environment import listed
from recipes.pod_placement import scheduling_with_cache

_WAIT_SCRIPT = Path(__file__).with_name("wait_for_model_script.py")
_FRONTEND_PORT = 8000
_SUMMARY = "profile_export_aiperf.json"
# K5 and K21 are corrections of gpt-oss-120b/trtllm-agg (recipes/catalogue/), and every recipe has them.
# K21. For amd64 and arm64, with a C compiler: crick, which AIPerf needs, has no wheel for arm64.
_IMAGE = "python:3.12.14-bookworm@sha256:dbbe4ceb97851e2e5fa83798b239811f871cb743b259ba3563737349f6bcfaa0"
# K5. 252 processes that send and 32 that read took 44 and 70 MiB each with AIPerf 0.13.0: 13 GiB,
# nearly doubled. A worker that fills its GB200 tray leaves 14.57 CPUs and 67 GiB; the Job may use what is
# idle.
_CPUS = 8
_MEMORY = "24Gi"
# K21. The longest that the operator's startup probe lets a worker load: 720 x 10 s.
_WAIT = {"WAIT_ATTEMPTS": "1440", "WAIT_SECONDS": "5"}
_ANYWHERE: dict[str, Any] = {
    "affinity": {
        "nodeAffinity": {
            # Only a preference: a cluster may have too little room for the load generator beside its GPU
            # nodes.
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {
                    "weight": 100,
                    "preference": {
                        "matchExpressions": [
                            {"key": "nvidia.com/gpu.present", "operator": "NotIn", "values": ["true"]}
                        ]
                    },
                }
            ]
        }
    },
    "tolerations": [
        {"key": GPU_RESOURCE, "operator": "Exists", "effect": "NoSchedule"},
        {"key": "kubernetes.io/arch", "operator": "Equal", "value": "arm64", "effect": "NoSchedule"},
    ],
}
# On a node whose workers take all GPUs no more is left. It has no limit, so it takes what is idle beside.
_CPUS_BESIDE_WORKERS = 4

RESULT_FOLLOWS = "dynamo-stack: the result of load"
"""Begins the line of the Job's log before AIPerf's summary; the load's number, from 1, ends the line."""


def benchmark_job(
    placed: PlacedRecipe, *, loads: Sequence[Load] | None = None, deadline_seconds: int | None = None
) -> dict[str, Any]:
    """Return the batch/v1 Job.

    Args:
        placed: what is measured; tokenizer and results are on its model cache.
        loads: what is sent, one after the other, each result printed in the Job's log; None: the recipe's own
            load, whose result stays on the cache alone. A Job that somebody watches is not tried again.
        deadline_seconds: when the Job has failed in any case; None: the recipe's own.

    """
    benchmark = placed.recipe.benchmark
    # K5. AIPerf opens more connections than Linux' own range has ports.
    port_range = {"name": "net.ipv4.ip_local_port_range", "value": "1024 65000"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": benchmark.job_name, "namespace": placed.namespace},
        "spec": {
            "backoffLimit": 1 if loads is None else 0,
            "activeDeadlineSeconds": deadline_seconds or benchmark.deadline_seconds,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    **(scheduling_with_cache(placed.cache_nodes) if placed.cache_nodes else _ANYWHERE),
                    # On the kubelet's list of safe sysctls, so it takes no privilege.
                    "securityContext": {**UNPRIVILEGED_POD, "sysctls": [port_range]},
                    "containers": [_container(placed, loads)],
                    "volumes": [
                        cache_volume(placed, CACHE_VOLUME),
                        {"name": SCRATCH_VOLUME, "emptyDir": {}},
                    ],
                }
            },
        },
    }


def _container(placed: PlacedRecipe, loads: Sequence[Load] | None) -> dict[str, Any]:
    recipe, graph_name = placed.recipe, placed.graph_name
    cpus = _CPUS_BESIDE_WORKERS if placed.cache_nodes else _CPUS
    variables = {
        "MODELS_URL": f"{_frontend_url(graph_name)}/v1/models",
        "SERVED_MODEL_NAME": recipe.model.served_name,
        **_WAIT,
        "AIPERF_HTTP_CONNECTION_LIMIT": str(CONNECTIONS_PER_WORKER),
        # Without HF_HUB_OFFLINE: with it AIPerf 0.13.0 refuses a tokenizer that is a path.
        "HF_HOME": MODEL_DIRECTORY,
        **IN_SCRATCH,
    }
    return {
        "name": "benchmark",
        "image": mirrored(_IMAGE, placed.image_mirrors),
        "command": ["/bin/sh", "-ec"],
        # The script is the shell's first argument: quoted into the command it could not be read.
        "args": [
            _shell_command(recipe, graph_name, loads),
            "benchmark",
            _WAIT_SCRIPT.read_text(encoding="utf-8"),
        ],
        "env": [
            *listed(variables),
            # A retry is another pod, and so another run.
            {"name": "RUN", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        ],
        "resources": {
            "requests": {"cpu": str(cpus), "memory": _MEMORY},
            "limits": {"memory": _MEMORY},
        },
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [
            {"name": CACHE_VOLUME, "mountPath": MODEL_DIRECTORY},
            {"name": SCRATCH_VOLUME, "mountPath": SCRATCH_DIRECTORY},
        ],
        "workingDir": SCRATCH_DIRECTORY,
    }


def _shell_command(recipe: Recipe, graph_name: str, loads: Sequence[Load] | None) -> str:
    packages = install_command(f"aiperf=={AIPERF_VERSION}")
    wait = 'python3 -c "$1"'
    program = f"{PACKAGES_DIRECTORY}/bin/aiperf"
    if loads is None:
        return "\n".join([packages, wait, f"exec {benchmark_line(recipe, graph_name, program)}"])
    # The first process of a container ignores SIGTERM unless it says otherwise, and a shell that waits for a
    # command in the foreground hears nothing: a Job that is deleted would go on with its load for 30 seconds.
    lines = ["trap 'exit 143' TERM", _interruptible(packages), _interruptible(wait)]
    for number, load in enumerate(loads, 1):
        folder = f'{_results(graph_name)}/"$RUN"/{number}'
        words = shlex.join([program, *_arguments(recipe, graph_name, load)])
        lines += [
            _interruptible(f"{words} --artifact-dir {folder}"),
            f"echo {shlex.quote(f'{RESULT_FOLLOWS} {number}')}",
            f"cat {folder}/{_SUMMARY}",
            "echo",
        ]
    return "\n".join(lines)


def _interruptible(command: str) -> str:
    return f'{command} & wait "$!"'


def benchmark_line(recipe: Recipe, graph_name: str, program: str) -> str:
    """Return the AIPerf command for a shell, where RUN is a name that no other run has.

    Results of two runs in one folder would be mixed, or the first ones lost.
    """
    traffic, concurrency = recipe.traffic, recipe.benchmark_concurrency
    load = recipe.benchmark.load(traffic.input_tokens, traffic.output_tokens, concurrency)
    words = shlex.join([program, *_arguments(recipe, graph_name, load)])
    return f'{words} --artifact-dir {_results(graph_name)}/"$RUN"'


def _arguments(recipe: Recipe, graph_name: str, load: Load) -> list[str]:
    endpoint = Endpoint(
        _frontend_url(graph_name),
        recipe.model.served_name,
        recipe.model.snapshot_directory,
        is_dynamo=recipe.engine_server is None,
    )
    return aiperf_arguments(recipe.benchmark, load, endpoint)


def _results(graph_name: str) -> str:
    return shlex.quote(f"{MODEL_DIRECTORY}/perf/{graph_name}")


def _frontend_url(graph_name: str) -> str:
    return f"http://{graph_name}-frontend:{_FRONTEND_PORT}"
