"""Environment variables of the pods of a graph, and how long a worker that is told to end serves on."""

from engines.runtime_defects import (
    DEEP_EP_CRASH_ACCELERATOR,
    DEEP_EP_CRASH_LINE,
    WITHOUT_DEEP_EP,
    WITHOUT_MNNVL_IN_NCCL,
    Workaround,
)
from hardware import INSTANCE_TYPES, InstanceType
from recipes.model import Recipe, Role, ServiceRecipe
from recipes.placed import PlacedRecipe, PlacedService
from recipes.tensorrt_llm import EngineSettings, environment
from recipes.tensorrt_llm.kv_profiles import release_line, service_kv_profile

ENGINE_FILES_DIRECTORY = "/opt/dynamo/configs"
TERMINATION_GRACE_SECONDS = 120
"""Seconds from SIGTERM until the rest of the pod is killed; all of the time that the runtime has."""

_SHUTDOWN_SECONDS = 30
"""Seconds for the engine's own shutdown, once its requests are gone."""
_PREFILL_TRANSFERS_SECONDS = 30
"""A prefill worker waits up to so long, before that, for decode workers that still read its KV cache."""


def service_environment(placed: PlacedRecipe, service: PlacedService) -> dict[str, str]:
    """Return the variables of one service, in a fixed order.

    What the recipe says of a variable wins over the transport's profile and the workarounds, so that an
    override can take either back.
    """
    recipe = placed.recipe
    variables = {workaround.name: workaround.value for workaround in service_workarounds(placed, service)}
    profile = service_kv_profile(placed, service)
    if profile is not None:
        variables |= profile.environment
    variables |= _draining_environment(service.role)
    variables |= service.recipe.environment
    if service.recipe.engine is not None:
        variables |= environment(
            served_name=recipe.model.served_name,
            engine_file_path=f"{ENGINE_FILES_DIRECTORY}/{engine_file_name(service.recipe)}",
            model_path=recipe.snapshot_path,
            quantization_algorithm=recipe.quantization.algorithm,
        )
    return variables | _cache_environment(recipe)


def service_workarounds(placed: PlacedRecipe, service: PlacedService) -> tuple[Workaround, ...]:
    """Return what the service needs against known defects; none for a frontend."""
    if service.recipe.engine is None or service.placement is None:
        return ()
    return known_defects(
        service.recipe.engine,
        instance_type=INSTANCE_TYPES[service.placement.instance_type],
        runtime_version=placed.recipe.runtime.version,
        has_imex_channel=placed.compute_domain is not None,
    )


def known_defects(
    options: EngineSettings,
    *,
    instance_type: InstanceType,
    runtime_version: str,
    has_imex_channel: bool,
) -> tuple[Workaround, ...]:
    """Return what a worker needs against the defects that it would meet.

    Args:
        options: of the worker's engine.
        instance_type: of its nodes.
        runtime_version: tag of the runtime image.
        has_imex_channel: whether its pod claims a channel of a compute domain.

    Raises:
        ValueError: the tag is no release's, so that nobody knows its defects.

    """
    found: list[Workaround] = []
    is_hit = instance_type.accelerator.name == DEEP_EP_CRASH_ACCELERATOR
    if is_hit and options.enable_attention_dp and release_line(runtime_version) == DEEP_EP_CRASH_LINE:
        found.append(WITHOUT_DEEP_EP)
    if instance_type.nvlink_crosses_nodes and not has_imex_channel:
        found.append(WITHOUT_MNNVL_IN_NCCL)
    return tuple(found)


def engine_file_name(service: ServiceRecipe) -> str:
    """Return the key of the service's engine file in the graph's ConfigMap."""
    return f"{service.role}.yaml"


def _cache_environment(recipe: Recipe) -> dict[str, str]:
    """Return what makes a pod read the model from the cache and from nowhere else.

    The frontend needs all of it as well: it loads configuration and tokenizer by the served name.
    """
    return {
        "HF_HOME": recipe.model_cache.mount_path,
        # Without it a pod asks the hub for a newer revision first, and hangs where there is no egress.
        "HF_HUB_OFFLINE": "1",
        # Read by the harmony parsers: ai-dynamo/dynamo#15155.
        "TIKTOKEN_ENCODINGS_BASE": recipe.model_cache.vocabulary_directory,
    }


def _draining_environment(role: Role) -> dict[str, str]:
    """Return the variable that gives the requests of a worker the time that its pod has.

    The runtime sleeps for so long after it has taken the worker out of the routing, idle or not, and ends
    what is not answered then. Its default is 5 s (PyPI package ai-dynamo 1.2.1,
    dynamo/common/utils/graceful_shutdown.py, dynamo/trtllm/main.py). The frontend needs nothing: it ends with
    its last answer, seen with the same package.
    """
    if role == "frontend":
        return {}
    transfers = _PREFILL_TRANSFERS_SECONDS if role == "prefill" else 0
    seconds = TERMINATION_GRACE_SECONDS - _SHUTDOWN_SECONDS - transfers
    return {"DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS": str(seconds)}
