"""The ConfigMap with the engine files of a graph."""

import hashlib
import json
from dataclasses import dataclass

from recipes.placed import PlacedRecipe, PlacedService
from recipes.pod_environment import engine_file_name
from recipes.tensorrt_llm import TensorRtLlmOptions, engine_file
from recipes.tensorrt_llm.kv_profiles import service_kv_profile

_HASH_LENGTH = 10


@dataclass(frozen=True, slots=True)
class EngineFiles:
    """Name and content of the ConfigMap."""

    name: str
    data: dict[str, str]


def engine_files(placed: PlacedRecipe) -> EngineFiles:
    """Return one file per worker role under a name that ends in a hash of the content.

    A running worker reads its file once. With the content in the name, a change is a new object and a
    changed pod template: the new object exists first, the pods roll, and the old object goes last.
    """
    data = {
        engine_file_name(service.recipe): engine_file(_for_transport(placed, service, service.recipe.engine))
        for service in placed.services
        if service.recipe.engine is not None
    }
    digest = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
    return EngineFiles(name=f"{placed.graph_name}-engine-{digest[:_HASH_LENGTH]}", data=data)


def _for_transport(
    placed: PlacedRecipe, service: PlacedService, options: TensorRtLlmOptions
) -> TensorRtLlmOptions:
    """Return the options with the backend that the graph's KV transport needs, whatever the recipe names.

    A backend that does not fit its transport carries blocks over TCP without a word.
    """
    profile = service_kv_profile(placed, service)
    transceiver = options.cache_transceiver_config
    if profile is None or transceiver is None:
        return options
    chosen = transceiver.model_copy(update={"backend": profile.backend})
    return options.model_copy(update={"cache_transceiver_config": chosen})
