"""Environment variables of the pods of a graph."""

from recipes.model import Recipe, ServiceRecipe
from recipes.tensorrt_llm import environment


def service_environment(
    recipe: Recipe, service: ServiceRecipe, engine_files_directory: str
) -> dict[str, str]:
    """Return the variables of one service, in a fixed order."""
    variables = dict(service.environment)
    if service.engine is not None:
        variables |= environment(
            served_name=recipe.model.served_name,
            engine_file_path=f"{engine_files_directory}/{engine_file_name(service)}",
            model_path=recipe.snapshot_path,
            quantization_algorithm=recipe.quantization.algorithm,
        )
    return variables | cache_environment(recipe)


def engine_file_name(service: ServiceRecipe) -> str:
    """Return the key of the service's engine file in the graph's ConfigMap."""
    return f"{service.role}.yaml"


def cache_environment(recipe: Recipe) -> dict[str, str]:
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
