"""Objects have names that can be found again."""

from collections.abc import Iterator

from resource_graph import UNKNOWN, Aspect, Resource, ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.program.references import CLAIM
from rules.reading.program.releases import releases_of
from rules.reading.shapes import Undecided, mapping_at

_AUTONAMED = "pulumi.com/autonamed"
_KINDS = (GRAPH_KIND, "ComputeDomain", CLAIM, "Namespace", "Secret", "Service", "StatefulSet", "Job")


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for kind in _KINDS:
        for resource in graph.kubernetes_objects(kind):
            if _is_autonamed(resource):
                yield failed(resource, resource.name, f"gets a random name: this {kind} has no metadata.name")
    for release in releases_of(graph, "dynamo-platform"):
        if release.inputs.get("name") is None:
            yield failed(release, release.name, "gets a random name: this release has no name")


def _is_autonamed(resource: Resource) -> bool:
    name = resource.object_name
    if name is UNKNOWN:
        # Another resource's output, which is a name that the program chose.
        return False
    try:
        marked = mapping_at(resource.metadata, "annotations").get(_AUTONAMED)
    except Undecided:
        marked = None
    return name is None or marked == "true"


RULE = Rule(
    id="names-fixed",
    title="Objects have fixed names",
    severity=Severity.ADVISORY,
    reason=(
        "What a killed update had created exists under a name that nothing remembers: the next one makes a "
        "second of each, and the first keeps its volume or its GPUs."
    ),
    source=(
        "pulumi/pulumi-kubernetes provider/pkg/metadata/naming.go at a03ff6ba58d2 (auto-naming); "
        "https://www.pulumi.com/docs/iac/concepts/resources/names/#autonaming"
    ),
    lines=("pulumi-kubernetes of 2026-06",),
    fix="Give the object a metadata.name, and the release a name.",
    check=_check,
    # A document without a name is one for `kubectl create`, and nobody's to adopt.
    reads=frozenset({Aspect.EDGES}),
)
