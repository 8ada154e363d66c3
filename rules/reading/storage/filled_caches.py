"""Jobs that put files on volumes before anything reads them there."""

from collections.abc import Sequence
from dataclasses import dataclass

from resource_graph import Resource, ResourceGraph
from rules.reading.benchmarks.benchmarks import read_benchmarks
from rules.reading.once import once_per_graph
from rules.reading.pods.pods import Unreadable, read_pods
from rules.reading.program.order import dependencies_of
from rules.reading.program.references import CLAIM, Reference, dynamo_graphs, read_references
from rules.reading.shapes import Undecided


@dataclass(frozen=True, slots=True)
class CacheUse:
    """A claim that a Dynamo graph mounts, and the Jobs that may fill it."""

    claim: Reference
    fillers: Sequence[Resource]
    """Without those that come after the graph, which read what is there."""


def cache_uses(graph: ResourceGraph, owner: Resource, references: Sequence[Reference]) -> Sequence[CacheUse]:
    """The claims that a Dynamo graph expects to be filled, each once."""
    names = dict.fromkeys(each.name for each in references if each.kind == CLAIM)
    own = {each.name for each in references if each.is_filled_by_pods}
    return [
        CacheUse(
            Reference(CLAIM, name),
            [job for job in _jobs_with(graph, name, owner) if owner.urn not in dependencies_of(graph, job)],
        )
        for name in names
        if name not in own
    ]


@once_per_graph
def cache_fillers(graph: ResourceGraph) -> Sequence[Resource]:
    """Every Job that may fill a Dynamo graph's cache, each once."""
    jobs: dict[str, Resource] = {}
    for resource, references in dynamo_graphs(graph):
        if not isinstance(references, Undecided):
            fillers = (job for use in cache_uses(graph, resource, references) for job in use.fillers)
            jobs |= {job.urn: job for job in fillers}
    return tuple(jobs.values())


def _jobs_with(graph: ResourceGraph, claim: str, owner: Resource) -> Sequence[Resource]:
    by_namespace = _jobs_by_claim(graph).get(claim, {})
    # A namespace that is left to the client's default, or not known yet, may be any.
    if not isinstance(owner.namespace, str):
        return [job for jobs in by_namespace.values() for job in jobs]
    return [*by_namespace.get(owner.namespace, ()), *by_namespace.get(None, ())]


@once_per_graph
def _jobs_by_claim(graph: ResourceGraph) -> dict[str, dict[str | None, list[Resource]]]:
    """Name of the claim -> namespace -> Jobs that mount it."""
    jobs: dict[str, dict[str | None, list[Resource]]] = {}
    # A benchmark mounts the cache for the tokenizer, and has nothing to put there.
    benchmarks = {each.resource.urn for each in read_benchmarks(graph)}
    for template in read_pods(graph):
        if isinstance(template, Unreadable) or template.resource.kind != "Job":
            continue
        if template.resource.urn in benchmarks:
            continue
        try:
            references = read_references(template)
        except Undecided:
            # Without it the graph's rule says that nothing fills the claim.
            continue
        namespace = template.resource.namespace
        for name in dict.fromkeys(each.name for each in references if each.kind == CLAIM):
            of_claim = jobs.setdefault(name, {})
            of_claim.setdefault(namespace if isinstance(namespace, str) else None, []).append(
                template.resource
            )
    return jobs
