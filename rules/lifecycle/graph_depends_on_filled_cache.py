"""A graph starts when the files that it serves are there."""

from collections.abc import Iterator, Sequence

from resource_graph import UNKNOWN, Aspect, Resource, ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.program.order import dependencies_of
from rules.reading.program.references import CLAIM, Reference, dynamo_graphs
from rules.reading.shapes import Undecided, mapping_at
from rules.reading.storage.filled_caches import CacheUse, cache_uses

_SKIP_AWAIT = "pulumi.com/skipAwait"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for resource, references in dynamo_graphs(graph):
        if isinstance(references, Undecided):
            yield undecided(resource, resource.name, str(references))
            continue
        yield from _check_graph(graph, resource, references)


def _check_graph(
    graph: ResourceGraph, resource: Resource, references: Sequence[Reference]
) -> Iterator[Observation]:
    for use in cache_uses(graph, resource, references):
        if not use.fillers:
            if graph.kubernetes_objects_named(CLAIM, use.claim.name, resource.namespace):
                yield undecided(
                    resource,
                    resource.name,
                    f"no Job of this program fills claim {use.claim.name}, which it makes",
                )
            continue
        try:
            yield from _check_use(graph, resource, use)
        except Undecided as reason:
            yield undecided(resource, resource.name, str(reason))


def _check_use(graph: ResourceGraph, resource: Resource, use: CacheUse) -> Iterator[Observation]:
    before = dependencies_of(graph, resource)
    waited_for = [job for job in use.fillers if job.urn in before]
    if not waited_for:
        names = ", ".join(job.name for job in use.fillers)
        yield failed(
            resource,
            resource.name,
            f"mounts claim {use.claim.name} and does not depend on {names}, which fills it",
        )
    elif all(_is_not_awaited(job) for job in waited_for):
        names = ", ".join(job.name for job in waited_for)
        yield failed(
            resource,
            resource.name,
            f"mounts claim {use.claim.name} and depends on {names}, whose annotation {_SKIP_AWAIT} lets it "
            "count as done before it has run",
        )


def _is_not_awaited(job: Resource) -> bool:
    value = mapping_at(job.metadata, "annotations").get(_SKIP_AWAIT)
    if value is UNKNOWN:
        raise Undecided(f"annotation {_SKIP_AWAIT} of {job.name} is known only after the update")
    return value == "true"


RULE = Rule(
    id="graph-depends-on-filled-cache",
    title="A graph depends on the Job that fills its cache",
    severity=Severity.MANDATORY,
    reason=(
        "The engine has Ready workers only where the model is complete: over an empty or half-filled volume "
        "it fails or, with access to the hub, downloads the model again beside the Job."
    ),
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b/model-cache at 371045a (download first, then deploy); the "
        "provider waits for a Job to complete: pulumi/pulumi-kubernetes provider/pkg/await at a03ff6ba58d2"
    ),
    lines=("pulumi-kubernetes of 2026-06",),
    fix="Give the graph depends_on with the Job, and let the provider wait for the Job.",
    check=_check,
    reads=frozenset({Aspect.EDGES}),
)
