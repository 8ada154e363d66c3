"""A main container that runs several workers under a supervisor, and what stands beside it in the pod."""

import shlex
from collections.abc import Callable, Mapping
from typing import Any

from recipes.placed import PlacedRecipe, PlacedService
from recipes.pod_environment import ENGINE_FILES_DIRECTORY, guaranteed, process_environment
from recipes.pod_processes import MAIN_CONTAINER, SUPERVISOR_FILE, Process, processes_of
from recipes.services import ServiceRecipe

# The operator names one for the container, and each engine binds it (ai-dynamo/dynamo#8817, #8919).
_FORWARD_PASS_PORT = 20380
_PORTS_OF_A_WORKER = 100
"""Each rank of data parallelism takes the next (ai-dynamo 1.2.1 dynamo/vllm/instrumented_scheduler.py)."""


def supervised(
    placed: PlacedRecipe, service: PlacedService, command: Callable[[ServiceRecipe], str]
) -> tuple[list[str], Mapping[str, str]]:
    """Return the command line that runs the service's workers, and the variables that all have alike.

    A worker stands between two dashes there, as `sh -c` and a text, which exports its other variables.

    Args:
        placed: the graph.
        service: with several processes.
        command: the shell command of one of them, without `exec`.

    """
    processes = processes_of(service.recipe)
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
        text = f"export {assignments} && exec {command(process.recipe)}"
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
    processes = processes_of(pod.recipe) if len(pod.recipe.processes) > 1 else ()
    return tuple(
        _registering(image, security, each) for each in processes if each.registered_as != MAIN_CONTAINER
    )


def _registering(image: str, security: Mapping[str, Any], process: Process) -> dict[str, Any]:
    return {
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
