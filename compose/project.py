"""The compose file of a stack, and the files that lie beside it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from compose.containers import escaped
from compose.discovery import Discovery, discovery_by_etcd
from compose.entrance import frontend_service, server_service
from compose.model import model_mount, model_services, own_volume
from compose.options import ENV_EXAMPLE, env_example
from compose.workers import ENGINE_FOLDER, Surroundings, worker_services, workers_of
from hardware import CpuArchitecture, KvTransportName
from recipes.engine_files import engine_files
from recipes.graph_manifest import main_container
from recipes.placed import PlacedRecipe
from recipes.pod_processes import SUPERVISOR_FILE, SUPERVISOR_SCRIPT
from stacks.plan.stack_plan import StackPlan

COMPOSE_FILE = "compose.yaml"
_FRONTEND, _SERVER = "frontend", "server"
# Whatever the stack says: workers that hand KV cache over share a container, as those of one pod do.
_TRANSPORT: KvTransportName = "nvlink"


def compose_project(stack: StackPlan) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """Return the project of a stack whose workers fit one host (compose/one_host.py).

    It is the content of compose.yaml and, by path beside it, each file's text without the mark of who wrote
    it.
    """
    placed = _on_one_host(stack.serving.placed)
    source = stack.cache.source
    server = placed.recipe.engine_server
    together = placed.kv_transport is not None
    discovery = Discovery() if server else discovery_by_etcd(placed.image_mirrors)
    around = Surroundings(discovery, model_mount(source), stack.serving.ready_timeout_seconds)
    _, files = engine_files(placed)
    workers = workers_of(placed)
    architecture: CpuArchitecture = stack.used_pools[0].pool.instance_type.cpu_architecture
    if server is not None:
        [worker] = workers
        serving = {_SERVER: server_service(worker, server, around, architecture)}
    else:
        frontend = next(service for service in placed.services if service.role == _FRONTEND)
        entrance = main_container(placed, frontend)
        serving = {
            **worker_services(workers, around, architecture, together=together),
            _FRONTEND: frontend_service(entrance, placed.recipe.model.served_name, around),
        }
    document = {
        "name": placed.graph_name,
        "services": {**model_services(placed, source), **discovery.services, **serving},
        "volumes": own_volume(source),
    }
    filled = {key: value for key, value in document.items() if value}
    in_folder = {f"{ENGINE_FOLDER}/{each}": text for each, text in files.items()}
    supervisor = {f"{ENGINE_FOLDER}/{SUPERVISOR_FILE}": SUPERVISOR_SCRIPT} if together else {}
    beside = {**in_folder, **discovery.files, **supervisor, ENV_EXAMPLE: env_example(source)}
    return escaped(filled), beside


def _on_one_host(placed: PlacedRecipe) -> PlacedRecipe:
    """Return what runs where, with the KV cache handed over inside one container."""
    if placed.kv_transport is None:
        return placed
    path = replace(placed.kv_transport.path, transport=_TRANSPORT)
    # Workers that share a pod are told apart again: whatever their shape, here they share a container.
    services = tuple(
        replace(
            service,
            name=name,
            role=process.role,
            processes=(process,),
            replicas=service.replicas * process.workers_per_pod,
        )
        for service in placed.services
        for name, process in {each.service_name: each for each in service.processes}.items()
    )
    return replace(
        placed,
        recipe=placed.recipe.model_copy(update={"one_pod": None}),
        services=services,
        kv_transport=replace(placed.kv_transport, path=path),
    )
