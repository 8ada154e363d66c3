"""The ConfigMap with the engine files of a graph."""

import hashlib
import json
from dataclasses import dataclass

from recipes.placed import PlacedRecipe
from recipes.pod_environment import engine_file_name
from recipes.tensorrt_llm import engine_file

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
        engine_file_name(service.recipe): engine_file(service.recipe.engine)
        for service in placed.services
        if service.recipe.engine is not None
    }
    digest = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
    return EngineFiles(name=f"{placed.graph_name}-engine-{digest[:_HASH_LENGTH]}", data=data)
