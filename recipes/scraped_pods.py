"""Which pods of a recipe have metrics, and where."""

from collections.abc import Mapping
from dataclasses import dataclass

from recipes.graph_manifest.placement import GRAPH_NAME_LABEL
from recipes.placed import PlacedRecipe
from recipes.server_manifest import server_labels


@dataclass(frozen=True, slots=True)
class ScrapedPods:
    """Pods with metrics, as a PodMonitor selects them."""

    labels: Mapping[str, str]
    ports: tuple[str, ...]
    """Names of the containers' ports; a pod without one of them is read at the others."""
    path: str


def scraped_pods(placed: PlacedRecipe) -> ScrapedPods:
    """Return the pods with metrics: a server's, or those that the operator marks."""
    if server := placed.recipe.engine_server:
        return ScrapedPods(server_labels(placed), ("http",), server.paths.metrics)
    return ScrapedPods(
        {GRAPH_NAME_LABEL: placed.graph_name, "nvidia.com/metrics-enabled": "true"},
        # As the operator names the ports: the frontend's, the workers' own server, and NIXL's telemetry.
        ("http", "system", "nixl"),
        "/metrics",
    )
