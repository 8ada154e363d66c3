"""The ConfigMap with the engine files of a graph."""

import hashlib
import json

from recipes.placed import PlacedRecipe
from recipes.pod_environment import engine_file_name
from recipes.pod_processes import SUPERVISOR_FILE, SUPERVISOR_SCRIPT

_HASH_LENGTH = 10


def engine_files(placed: PlacedRecipe) -> tuple[str | None, dict[str, str]]:
    """Return the ConfigMap's name, which ends in a hash of its content, and one file per worker role.

    There is no name where the engine reads no file.

    A running worker reads its file once. With the content in the name, a change is a new object and a
    changed pod template: the new object exists first, the pods roll, and the old object goes last. The
    supervisor of workers that share a pod comes the same way.
    """
    engine = placed.recipe.serving_engine
    data = {
        engine_file_name(process): text
        for service in placed.workers
        for process in service.processes
        if (text := engine.engine_file(placed.engine_options(service, process))) is not None
    }
    if placed.recipe.one_pod is not None:
        data[SUPERVISOR_FILE] = SUPERVISOR_SCRIPT
    if not data:
        return None, {}
    return f"{placed.graph_name}-engine-{content_hash(json.dumps(data, sort_keys=True))}", data


def content_hash(text: str) -> str:
    """Return the end of a name that changes with the content."""
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_LENGTH]
