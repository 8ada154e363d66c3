"""The DynamoGraphDeployment of a placed recipe: components of nvidia.com/v1beta1, each with a pod template.

Why in this API version: docs/adr/0017-graph-api-v1beta1.md.
"""

from typing import Any

from recipes.graph_manifest.services import pod_template
from recipes.placed import PlacedRecipe, PlacedService


def graph_spec(placed: PlacedRecipe, engine_config_map_name: str | None) -> dict[str, Any]:
    """Return the `spec` of the graph.

    Args:
        placed: what runs where.
        engine_config_map_name: the ConfigMap with the workers' engine files (recipes/engine_files.py); None
            where the engine reads none.

    Raises:
        ValueError: the KV transport has no image for the recipe's runtime version.

    """
    return {
        "backendFramework": placed.recipe.serving_engine.backend_framework,
        "components": [_component(placed, each, engine_config_map_name) for each in placed.services],
    }


def _component(
    placed: PlacedRecipe, service: PlacedService, engine_config_map_name: str | None
) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "name": service.name,
        "type": service.role,
        "replicas": service.replicas,
        "podTemplate": pod_template(placed, service, engine_config_map_name),
    }
    # Without it the operator's own 8Gi stays.
    if service.recipe.shared_memory:
        fields["sharedMemorySize"] = service.recipe.shared_memory
    return fields
