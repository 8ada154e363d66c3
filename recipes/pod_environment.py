"""Environment variables of the pods of a graph, and how long a worker that is told to end serves on."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from engines.engine import Engine, WorkerStart
from engines.release import EVENTS_THROUGH_NATS, Workaround, line_name, release_line
from recipes.model import Recipe
from recipes.model_files import MODEL_DIRECTORY, VOCABULARY_DIRECTORY
from recipes.placed import PlacedRecipe, PlacedService
from recipes.services import Role, ServiceRecipe

MAIN_CONTAINER = "main"
"""The operator adds its probes, ports and variables to the container of this name."""
ENGINE_FILES_DIRECTORY = "/opt/dynamo/configs"
TERMINATION_GRACE_SECONDS = 120
"""Seconds from SIGTERM until the rest of the pod is killed; all of the time that the runtime has."""
FRONTEND_PAUSE_SECONDS = 10
"""Seconds that a frontend serves on before its SIGTERM, while the Service's other ends forget it."""
BEFORE_IT_ENDS: Mapping[str, Any] = MappingProxyType(
    {"preStop": {"exec": {"command": ["sleep", str(FRONTEND_PAUSE_SECONDS)]}}}
)
"""Lifecycle of a container that clients address: the Service forgets a pod while the pod is told to end, and
connections still come meanwhile."""
CACHE_ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        "HF_HOME": MODEL_DIRECTORY,
        # Without it a pod asks the hub for a newer revision first, and hangs where there is no egress.
        "HF_HUB_OFFLINE": "1",
        # Read by the harmony parsers: ai-dynamo/dynamo#15155.
        "TIKTOKEN_ENCODINGS_BASE": VOCABULARY_DIRECTORY,
    }
)
"""What makes a pod read the model from the cache and from nowhere else.

The frontend needs all of it as well: it loads configuration and tokenizer by the served name.
"""

_LAST_LINE_THAT_SERVES_ON = (1, 2)
"""Last line whose frontend takes requests while it ends."""
_SHUTDOWN_SECONDS = 30
"""Seconds for the engine's own shutdown, once its requests are gone."""


def process_environment(
    placed: PlacedRecipe, service: PlacedService, process: ServiceRecipe, container: str = MAIN_CONTAINER
) -> dict[str, str]:
    """Return the variables of one process of a service, in a fixed order.

    `container` is the one under whose name the process registers, where pods run several workers.

    What the recipe says of a variable wins over the transport's profile and the workarounds, so that an
    override can take either back.
    """
    recipe = placed.recipe
    variables = {each.name: each.value for each in process_workarounds(placed, service, process)}
    profile = placed.kv_profile(service)
    if profile is not None:
        variables |= profile.environment
    if recipe.engine_server is None:
        variables |= _draining_environment(process.role, recipe.serving_engine, recipe.runtime.version)
        if line_name(recipe.runtime.version) != EVENTS_THROUGH_NATS:
            # Keeps events on the stack's NATS, as 1.2 does by default. Every later line takes the value, and
            # without it an update from 1.2 would change the way of events under workers that run
            # (docs/adr/0025-platform-lines.md).
            variables["DYN_EVENT_PLANE"] = "nats"
    if recipe.one_pod is not None:
        # Frontends look for containers only in the same mode.
        variables |= {"DYN_KUBE_DISCOVERY_MODE": "container", "CONTAINER_NAME": container}
    variables |= process.environment
    if process.engine is not None:
        variables |= started_by(recipe).environment(worker_start(recipe, process))
    return {**variables, **CACHE_ENVIRONMENT}


def process_workarounds(
    placed: PlacedRecipe, service: PlacedService, process: ServiceRecipe
) -> tuple[Workaround, ...]:
    """Return what one process of a service needs against known defects; a frontend needs nothing."""
    if process.engine is None or service.placement is None:
        return ()
    return placed.recipe.serving_engine.known_defects(
        process.engine,
        instance_type=service.placement.instance_type,
        runtime_version=placed.recipe.engine_release,
        has_imex_channel=placed.compute_domain is not None,
    )


def started_by(recipe: Recipe) -> Engine[Any]:
    """Return what starts the recipe's workers: the engine's own server, or the engine behind Dynamo."""
    return recipe.engine_server or recipe.serving_engine


def worker_start(recipe: Recipe, service: ServiceRecipe) -> WorkerStart:
    """Return what a worker of the service is started with, beside its engine options."""
    return WorkerStart(
        served_name=recipe.model.served_name,
        role=service.worker_role,
        arguments=(*recipe.model.parser_arguments, *service.arguments),
        runtime_version=recipe.runtime.version,
        model_path=recipe.model.snapshot_directory,
        engine_file_path=f"{ENGINE_FILES_DIRECTORY}/{engine_file_name(service)}",
        algorithm=recipe.quantization.algorithm,
        draft_directories={draft.repository: draft.snapshot_directory for draft in recipe.draft_models},
    )


def worker_command(placed: PlacedRecipe, service: PlacedService, process: ServiceRecipe) -> str:
    """Return the shell command that starts a worker of the service, without `exec`."""
    options = placed.engine_options(service, process)
    return started_by(placed.recipe).command_line(options, worker_start(placed.recipe, process))


def engine_file_name(service: ServiceRecipe) -> str:
    """Return the key of the service's engine file in the graph's ConfigMap."""
    return f"{service.role}.yaml"


def _draining_environment(role: Role, engine: Engine[Any], runtime_version: str) -> dict[str, str]:
    """Return the variable that gives the requests of a pod that ends what they need.

    A worker's runtime sleeps for so long after it has taken the worker out of the routing, idle or not, and
    ends what is not answered then. Its default is 5 s (PyPI package ai-dynamo 1.2.1,
    dynamo/common/utils/graceful_shutdown.py, dynamo/trtllm/main.py).

    A frontend of 1.2 takes requests for so long after its SIGTERM, when it knows no worker any more, so that
    each of them fails; 5 s by default. Answers under way are brought to their end either way
    (docs/faults-under-load.md). Later frontends break off answers after so long (correction D28), and
    get what the pod has left after its pause.
    """
    if role == "frontend":
        is_limit = release_line(runtime_version) > _LAST_LINE_THAT_SERVES_ON
        left = TERMINATION_GRACE_SECONDS - FRONTEND_PAUSE_SECONDS - _SHUTDOWN_SECONDS
        return {"DYN_HTTP_GRACEFUL_SHUTDOWN_TIMEOUT_SECS": str(left if is_limit else 0)}
    transfers = engine.transfers_seconds if role == "prefill" else 0
    seconds = TERMINATION_GRACE_SECONDS - _SHUTDOWN_SECONDS - transfers
    return {"DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS": str(seconds)}


def guaranteed(cpu: str, memory: str) -> dict[str, Any]:
    """Return requests with the same limits: beside these a worker's pod stays Guaranteed."""
    return {"requests": {"cpu": cpu, "memory": memory}, "limits": {"cpu": cpu, "memory": memory}}


def listed(variables: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the variables as a container's `env`."""
    return [{"name": name, "value": value} for name, value in variables.items()]
