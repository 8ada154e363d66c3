"""The DynamoGraphDeployment of a placed recipe: components of nvidia.com/v1beta1, each with a pod template.

Why in this API version: docs/adr/0017-graph-api-v1beta1.md.
"""

from typing import Any

from recipes.graph_manifest.services import GraphService, graph_services
from recipes.placed import PlacedRecipe


def graph_spec(placed: PlacedRecipe, engine_config_map_name: str | None) -> dict[str, Any]:
    """Return the `spec` of the graph.

    Args:
        placed: what runs where.
        engine_config_map_name: the ConfigMap with the workers' engine files (recipes/engine_files.py); None
            where the engine reads none.

    Raises:
        ValueError: the KV transport has no image for the recipe's runtime version.

    """
    services = graph_services(placed, engine_config_map_name)
    return {
        "backendFramework": placed.recipe.serving_engine.backend_framework,
        "components": [_component(service) for service in services],
    }


def _component(service: GraphService) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "name": service.name,
        "type": service.role,
        "replicas": service.replicas,
        "podTemplate": service.template,
    }
    if service.shared_memory:
        fields["sharedMemorySize"] = service.shared_memory
    return fields
