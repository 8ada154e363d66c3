"""What clients on the host reach: Dynamo's frontend, or an engine's own server in its place."""

from collections.abc import Mapping
from typing import Any

from components.dynamo_objects import FRONTEND_PORT
from compose.containers import Interpolated, answers, service_of
from compose.options import ADDRESS_VARIABLE
from compose.workers import Surroundings, Worker, with_devices
from engines.engine import PORT as SERVER_PORT
from engines.registry import EngineServer
from hardware import CpuArchitecture
from recipes.pod_environment import TERMINATION_GRACE_SECONDS


def frontend_service(
    container: Mapping[str, Any], served_name: str, surroundings: Surroundings
) -> dict[str, Any]:
    """Return the frontend; it is healthy once it lists the model, and so once a worker has it loaded.

    Its command stands as the entrypoint, as in a pod: some of the publisher's images have one that starts
    something else.
    """
    models = f"http://127.0.0.1:{FRONTEND_PORT}/v1/models"
    return {
        **surroundings.around(service_of(container)),
        "ports": _published(FRONTEND_PORT),
        "stop_grace_period": f"{TERMINATION_GRACE_SECONDS}s",
        "healthcheck": answers({models: f'"{served_name}"'}, surroundings.start_seconds),
    }


def server_service(
    worker: Worker, server: EngineServer, surroundings: Surroundings, architecture: CpuArchitecture
) -> dict[str, Any]:
    """Return an engine's own server, which is healthy once it serves requests."""
    ready = f"http://127.0.0.1:{SERVER_PORT}{server.ready_path}"
    return {
        **with_devices(service_of(worker.container), [worker], surroundings, architecture),
        "ports": _published(SERVER_PORT),
        "healthcheck": answers({ready: ""}, surroundings.start_seconds),
    }


def _published(port: int) -> list[str]:
    return [Interpolated(f"${{{ADDRESS_VARIABLE}:-127.0.0.1}}:{port}:{port}")]
