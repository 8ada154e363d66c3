"""The DynamoGraphDeployment of a placed recipe, in both API versions of Dynamo 1.2.

`services` describes each service once; `api_versions` writes the same pods in the words of each version.
Why v1beta1 is the default: docs/adr/0017-graph-api-v1beta1.md.
"""

from typing import Any

from recipes.graph_manifest.api_versions import alpha_service, component
from recipes.graph_manifest.services import graph_services
from recipes.placed import GraphApi, PlacedRecipe


def graph_spec(
    placed: PlacedRecipe, engine_config_map_name: str | None, graph_api: GraphApi = "v1beta1"
) -> dict[str, Any]:
    """Return the `spec` of the graph.

    Args:
        placed: what runs where.
        engine_config_map_name: the ConfigMap with the workers' engine files (recipes/engine_files.py); None
            where the engine reads none.
        graph_api: the API version to write; both make the same pods.

    Raises:
        ValueError: the KV transport has no image for the recipe's runtime version.

    """
    services = graph_services(placed, engine_config_map_name)
    spec: dict[str, Any] = {"backendFramework": placed.recipe.serving_engine.backend_framework}
    if graph_api == "v1alpha1":
        return {**spec, "services": {service.name: alpha_service(service) for service in services}}
    return {**spec, "components": [component(service) for service in services]}
