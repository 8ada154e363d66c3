"""Prefill and decode as processes of one container: the GPUs and the port of each, and who starts them."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recipes.placed import PlacedRecipe, PlacedService
from recipes.pod_environment import (
    ENGINE_FILES_DIRECTORY,
    MAIN_CONTAINER,
    guaranteed,
    process_environment,
    worker_command,
)
from recipes.services import PodRecipe, ServiceRecipe

SUPERVISOR_FILE = "supervisor.py"
SUPERVISOR_SCRIPT = Path(__file__).with_name("supervisor_script.py").read_text(encoding="utf-8")
"""Text of the program that starts them."""
SYSTEM_PORT = 9090
"""Port of the supervisor: the operator's probes ask there, whatever runs behind it."""

# The operator names one for the container, and each engine binds it (ai-dynamo/dynamo#8817, #8919).
_FORWARD_PASS_PORT = 20380
_PORTS_OF_A_WORKER = 100
"""Each rank of data parallelism takes the next (ai-dynamo 1.2.1 dynamo/vllm/instrumented_scheduler.py)."""


@dataclass(frozen=True, slots=True)
class Process:
    """One worker of a pod that runs several."""

    recipe: ServiceRecipe
    index: int
    """Its number among the processes of the pod, from 0."""
    number: int
    """Its number among those of its role, from 1."""
    gpus: range
    """Its own GPUs, as the container numbers them."""
    all_gpus: int
    """GPUs of the container."""

    @property
    def name(self) -> str:
        """prefill or decode, from the second one on with its number: prefill-2."""
        return self.recipe.role if self.number == 1 else f"{self.recipe.role}-{self.number}"

    @property
    def registered_as(self) -> str:
        """Name of the container under which it registers, which no other process of the pod has.

        Workers that are discovered by Kubernetes write one object a pod, under its name, and the second
        process of a pod would overwrite the first's. In the runtime's container mode each writes one for the
        container that it names, and counts while that container is ready (ai-dynamo/dynamo docs
        service-discovery.md; PyPI packages ai-dynamo 1.2.1 and 1.4.2 have the mode). So one process takes the
        main container's name, and each other that of a container which does nothing but ask it whether it is
        ready.
        """
        return MAIN_CONTAINER if self.name == "decode" else self.name

    @property
    def system_port(self) -> int:
        """Port of its /live, /health and /metrics."""
        return SYSTEM_PORT + 1 + self.index

    @property
    def visible_gpus(self) -> str:
        """What CUDA shows it: its own GPUs first, of which the engine takes as many as it has ranks.

        The others come after them, because a process can open memory only of a GPU that it sees.
        """
        others = [gpu for gpu in range(self.all_gpus) if gpu not in self.gpus]
        return ",".join(str(gpu) for gpu in (*self.gpus, *others))


def processes_of(pod: PodRecipe) -> tuple[Process, ...]:
    """Return the workers of the pod, each with GPUs of its own."""
    found: list[Process] = []
    first = 0
    for index, recipe in enumerate(pod.processes):
        number = 1 + sum(each.recipe.role == recipe.role for each in found)
        found.append(Process(recipe, index, number, range(first, first + recipe.gpus), pod.gpus))
        first += recipe.gpus
    return tuple(found)


def supervised(placed: PlacedRecipe, service: PlacedService) -> tuple[list[str], Mapping[str, str]]:
    """Return the command line that runs the service's workers, and the variables that all have alike.

    A worker stands between two dashes there, as `sh -c` and a text, which exports its other variables.

    Args:
        placed: the graph.
        service: with several processes.

    """
    processes = processes_of(service)
    environments = [_environment(placed, service, process) for process in processes]
    common = {
        name: value
        for name, value in environments[0].items()
        if all(each.get(name) == value for each in environments)
    }
    words = ["python3", f"{ENGINE_FILES_DIRECTORY}/{SUPERVISOR_FILE}"]
    for process, environment in zip(processes, environments, strict=True):
        own = {name: value for name, value in environment.items() if name not in common}
        assignments = " ".join(f"{name}={shlex.quote(value)}" for name, value in own.items())
        text = f"export {assignments} && exec {worker_command(placed, service, process.recipe)}"
        between = ["--"] if process.index else []
        words += [*between, f"{process.name}:{process.system_port}", "/bin/sh", "-c", text]
    return words, common


def registering_containers(
    image: str, security: Mapping[str, Any], pod: PlacedService
) -> tuple[dict[str, Any], ...]:
    """Return the containers by whose names all processes but one are discovered.

    Each runs nothing, and is ready when its process is. There are none beside a single process.

    Args:
        image: with a shell; that of the main container is on the node anyway.
        security: their securityContext.
        pod: whose processes may be prefill and decode workers.

    """
    if len(pod.processes) == 1:
        return ()
    return tuple(
        {
            "name": process.registered_as,
            "image": image,
            # A shell that waits hears SIGTERM at once; `sleep` as process 1 would not.
            "command": ["/bin/sh", "-c", "trap 'exit 0' TERM; sleep infinity & wait"],
            "readinessProbe": {
                "httpGet": {"path": "/health", "port": process.system_port},
                # It has to be seen unready before the process is back: a frontend that sees no gap keeps the
                # address of the process that has ended.
                "periodSeconds": 2,
                "failureThreshold": 2,
                "timeoutSeconds": 4,
            },
            "resources": guaranteed("100m", "64Mi"),
            "securityContext": dict(security),
        }
        for process in processes_of(pod)
        if process.registered_as != MAIN_CONTAINER
    )


def _environment(placed: PlacedRecipe, service: PlacedService, process: Process) -> dict[str, str]:
    variables = process_environment(placed, service, process.recipe, process.registered_as)
    ports = placed.recipe.serving_engine.port_environment(process.index)
    metrics = str(_FORWARD_PASS_PORT + process.index * _PORTS_OF_A_WORKER)
    return {
        "CUDA_VISIBLE_DEVICES": process.visible_gpus,
        "DYN_FORWARDPASS_METRIC_PORT": metrics,
        **ports,
        **variables,
    }
