"""Workers on the GPUs of one host: a container each, or one for all that hand over KV cache.

`Surroundings` is what the frontend has in common with them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compose.containers import answers, byte_size, service_of
from compose.discovery import Discovery
from compose.model import MODEL
from hardware import CpuArchitecture
from recipes.graph_manifest import main_container
from recipes.placed import PlacedRecipe
from recipes.pod_environment import ENGINE_FILES_DIRECTORY, TERMINATION_GRACE_SECONDS
from recipes.pod_processes import SUPERVISOR_FILE, SYSTEM_PORT

ENGINE_FOLDER = "engine"
"""Beside the compose file; the engine files lie there."""
_TOGETHER = "workers"
# As Dynamo's operator has it. Without it a worker of 1.2.1 stays notready where its engine registers no check
# of its own (measured with the wheel and its mock engine), though the wheel calls the variable unused.
_HEALTH = {"DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS": '["generate"]'}
# NVIDIA Dynamo documentation, page "GPT-OSS" of TensorRT-LLM, step "Run the Container".
_ULIMITS = {"memlock": -1, "stack": 67108864, "nofile": {"soft": 65536, "hard": 65536}}
# On x86 the ranks of one engine open each other's GPU memory by pidfd_getfd (NVIDIA/TensorRT-LLM
# tensorrt_llm/_mnnvl_utils.py), which Docker's seccomp profile has for this capability alone (moby/moby
# profiles/seccomp/default_linux.go).
_OPENS_MEMORY_OF_OTHERS = "SYS_PTRACE"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Around every process of the Dynamo runtime."""

    discovery: Discovery
    model_mount: str
    start_seconds: int
    """The longest that loading the model takes."""

    def around(self, service: Mapping[str, Any], *volumes: str) -> dict[str, Any]:
        """Return a service with all of it, and with mounts of its own."""
        servers = {name: {"condition": "service_healthy"} for name in self.discovery.services}
        return {
            **service,
            "environment": {**service["environment"], **self.discovery.environment},
            "volumes": [self.model_mount, *volumes],
            "depends_on": {MODEL: {"condition": "service_completed_successfully"}, **servers},
            "restart": "unless-stopped",
        }


@dataclass(frozen=True, slots=True)
class Worker:
    """One worker process and its GPUs."""

    name: str
    container: Mapping[str, Any]
    """Of its pod."""
    shared_memory: str | None
    gpus: tuple[int, ...]
    """Indices of the host's."""
    port: int
    """For its health and metrics; no other worker has it, as they may share a container."""
    engine_ports: Mapping[str, str]
    """Variables of the fixed ports of its engine, for a container with several workers."""


def workers_of(placed: PlacedRecipe) -> tuple[Worker, ...]:
    """Return every replica with its GPUs, from the host's first one on."""
    workers: list[Worker] = []
    for service in placed.workers:
        container = main_container(placed, service)
        for number in range(1, service.replicas + 1):
            name = service.role if service.replicas == 1 else f"{service.role}-{number}"
            first = sum(len(worker.gpus) for worker in workers)
            gpus = tuple(range(first, first + service.gpus))
            index = len(workers)
            ports = placed.recipe.serving_engine.port_environment(index)
            memory = service.shared_memory
            workers.append(Worker(name, container, memory, gpus, SYSTEM_PORT + 1 + index, ports))
    return tuple(workers)


def worker_services(
    workers: Sequence[Worker], surroundings: Surroundings, architecture: CpuArchitecture, *, together: bool
) -> dict[str, dict[str, Any]]:
    """Return the containers by name.

    Args:
        workers: all of the host.
        surroundings: of every process of the runtime.
        architecture: of the host's processors.
        together: they hand over KV cache. By CUDA IPC they do so within one process namespace alone.

    """
    if together:
        return {_TOGETHER: _worker(_one_container(workers), workers, SYSTEM_PORT, surroundings, architecture)}
    return {
        worker.name: _worker(service_of(worker.container), [worker], worker.port, surroundings, architecture)
        for worker in workers
    }


def with_devices(
    container: dict[str, Any],
    workers: Sequence[Worker],
    surroundings: Surroundings,
    architecture: CpuArchitecture,
) -> dict[str, Any]:
    """Return a container of these workers with their GPUs, limits and engine files."""
    gpus = [str(gpu) for worker in workers for gpu in worker.gpus]
    capabilities: Sequence[str] = container.get("cap_add", ())
    if len(gpus) > 1 and architecture == "amd64" and _OPENS_MEMORY_OF_OTHERS not in capabilities:
        container["cap_add"] = [*capabilities, _OPENS_MEMORY_OF_OTHERS]
    memory = workers[0].shared_memory
    devices = {"driver": "nvidia", "device_ids": gpus, "capabilities": ["gpu"]}
    fields = surroundings.around(container, f"./{ENGINE_FOLDER}:{ENGINE_FILES_DIRECTORY}:ro")
    if memory:
        fields["shm_size"] = byte_size(memory)
    return {
        **fields,
        "ipc": "host",
        "ulimits": _ULIMITS,
        "deploy": {"resources": {"reservations": {"devices": [devices]}}},
        "stop_grace_period": f"{TERMINATION_GRACE_SECONDS}s",
    }


def _one_container(workers: Sequence[Worker]) -> dict[str, Any]:
    """Return the container of several workers: what is theirs alone stands before each one's command."""
    containers = [service_of(worker.container) for worker in workers]
    first = containers[0]
    common = {
        name: value
        for name, value in first["environment"].items()
        if all(each["environment"].get(name) == value for each in containers)
    }
    command: list[str] = []
    for worker, each in zip(workers, containers, strict=True):
        own = {name: value for name, value in each["environment"].items() if name not in common}
        own |= {"CUDA_VISIBLE_DEVICES": _own_first(worker, workers), **worker.engine_ports}
        variables = [f"{name}={value}" for name, value in own.items()]
        start = [f"{worker.name}:{worker.port}", "env", *variables, *each["entrypoint"], *each["command"]]
        command += ["--", *start] if command else start
    supervisor = ["python3", f"{ENGINE_FILES_DIRECTORY}/{SUPERVISOR_FILE}"]
    return {**first, "entrypoint": supervisor, "command": command, "environment": common}


def _own_first(worker: Worker, workers: Sequence[Worker]) -> str:
    """Return the container's GPUs in the worker's order: it uses its own, and opens memory on the others'."""
    others = [gpu for other in workers if other is not worker for gpu in other.gpus]
    return ",".join(str(gpu) for gpu in (*worker.gpus, *others))


def _worker(
    container: dict[str, Any],
    workers: Sequence[Worker],
    port: int,
    surroundings: Surroundings,
    architecture: CpuArchitecture,
) -> dict[str, Any]:
    container["environment"] |= {**_HEALTH, "DYN_SYSTEM_PORT": str(port)}
    healthcheck = answers({f"http://127.0.0.1:{port}/health": ""}, surroundings.start_seconds)
    return {**with_devices(container, workers, surroundings, architecture), "healthcheck": healthcheck}
