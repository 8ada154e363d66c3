"""A graph is created after the operator that runs it, and deleted before it."""

from collections.abc import Iterator, Sequence

from resource_graph import Aspect, Resource, ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.pods import GRAPH_KIND

_CHART = "dynamo-platform"
_RELEASE_TYPES = (
    "kubernetes:helm.sh/v3:Release",
    "kubernetes:helm.sh/v3:Chart",
    "kubernetes:helm.sh/v4:Chart",
)


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    releases = _platform_releases(graph)
    for resource in graph.kubernetes_objects(GRAPH_KIND):
        if not releases:
            yield undecided(
                resource,
                resource.name,
                f"no release of chart {_CHART} is part of this program; if another stack installs it, that "
                "stack must be destroyed after this one",
            )
        elif graph.dependencies_of(resource).isdisjoint(release.urn for release in releases):
            names = ", ".join(release.name for release in releases)
            yield failed(
                resource,
                resource.name,
                f"does not depend on {names}, which installs its operator, neither itself nor through a "
                "component around it",
            )


def _platform_releases(graph: ResourceGraph) -> Sequence[Resource]:
    candidates = [resource for release_type in _RELEASE_TYPES for resource in graph.of_type(release_type)]
    return [resource for resource in candidates if _installs_platform(resource)]


def _installs_platform(release: Resource) -> bool:
    chart = release.inputs.get("chart")
    # A chart is a name, an address whose last part is the name, or a packaged file.
    return isinstance(chart, str) and chart.rstrip("/").rpartition("/")[2].startswith(_CHART)


RULE = Rule(
    id="graph-depends-on-operator",
    title="A graph depends on the release that installs its operator",
    severity=Severity.MANDATORY,
    reason=(
        "Without the edge the graph may be created before the operator's webhook answers, which refuses it, "
        "and at destroy the operator may go first, after which the graph's finalizer is never removed and "
        "its GPUs stay taken."
    ),
    source="pulumi/pulumi-kubernetes#1418, pulumi/pulumi-kubernetes#3573",
    fix="Give the graph, or the component around it, depends_on with the platform's release.",
    check=_check,
    reads=frozenset({Aspect.EDGES}),
)
