"""What a graph needs is made before it, awaited with a time limit, and deleted after it."""

from collections.abc import Iterator, Sequence

from resource_graph import Aspect, Resource, ResourceGraph
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.references import (
    STACK_REFERENCE,
    cache_fillers,
    cache_uses,
    references_of,
)
from rules.reading.releases import DRIVER_CHARTS, PLATFORM_CHART, releases_of
from rules.reading.shapes import text_at
from rules.rule import (
    EVERY_RELEASE,
    Advice,
    Observation,
    Said,
    Severity,
    Subjects,
    graph_rule,
    kubernetes_objects,
    names,
    rule,
)

_DOMAIN = "ComputeDomain"
_DEFINED_AS = {
    GRAPH_KIND: "dynamographdeployments.nvidia.com",
    _DOMAIN: "computedomains.resource.nvidia.com",
}
_GRAPHS = kubernetes_objects(GRAPH_KIND)
_PLATFORM_LAYER = "platform-layer"
"""Name of the reference to the stack that runs the platform, in a stack of this project that joins it."""


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "Without the edge the graph may be created before the operator's webhook answers, which refuses it, "
        "or before the server knows its kind, for which the provider waits a minute. At destroy the "
        "operator, the driver or the definition may go first: then the finalizer is never removed, GPUs stay "
        "taken, and a compute domain and its namespace can no longer be deleted."
    ),
    source=(
        "pulumi/pulumi-kubernetes#1418, pulumi/pulumi-kubernetes#3573; NVIDIA/aicr#406; "
        "pulumi/pulumi-kubernetes provider/pkg/await/await.go at a03ff6ba58d2 (retries of NotFound); "
        "kubernetes-sigs/dra-driver-nvidia-gpu cmd/compute-domain-controller at 95932046 (finalizer)"
    ),
    lines=("pulumi-kubernetes of 2026-06", "NVIDIA DRA driver of 2026-08"),
    fix=(
        "Give the object, or the component around it, depends_on with the release of its operator or driver, "
        "with the definition of its kind, or with a StackReference to the stack that has them."
    ),
    reads=frozenset({Aspect.EDGES}),
)
def graph_depends_on_operator(graph: ResourceGraph) -> Iterator[Observation]:
    """Graph or compute domain does not depend on its operator, driver or definition."""
    yield from _GRAPHS.judge(graph, _operator)
    yield from kubernetes_objects(_DOMAIN).judge(graph, _driver)
    for kind in _DEFINED_AS:
        yield from kubernetes_objects(kind).judge(graph, _definition)


def _operator(graph: ResourceGraph, resource: Resource) -> Iterator[str]:
    # Another program may install the operator, and must then be destroyed after this one.
    layers = [each for each in graph.of_type(STACK_REFERENCE) if each.name == _PLATFORM_LAYER]
    platforms = (*releases_of(graph, PLATFORM_CHART), *layers)
    return _not_after(graph, resource, platforms, "which installs its operator")


def _driver(graph: ResourceGraph, resource: Resource) -> Iterator[str]:
    # Most clusters have the driver from elsewhere, so a program without it is in order.
    return _not_after(graph, resource, releases_of(graph, DRIVER_CHARTS), "which installs its driver")


def _definition(graph: ResourceGraph, resource: Resource) -> Iterator[str]:
    name, no_namespace = _DEFINED_AS[resource.kind or ""], None
    definitions = graph.kubernetes_objects_named("CustomResourceDefinition", name, no_namespace)
    return _not_after(graph, resource, definitions, f"the definition {name}")


def _not_after(
    graph: ResourceGraph, resource: Resource, needed: Sequence[Resource], what: str
) -> Iterator[str]:
    if needed and graph.dependencies_of(resource).isdisjoint(each.urn for each in needed):
        yield f"does not depend on {names(needed)}, {what}, neither itself nor through a component around it"


@rule(
    _GRAPHS,
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
    reads=frozenset({Aspect.EDGES}),
)
def graph_depends_on_filled_cache(graph: ResourceGraph, resource: Resource) -> Iterator[str]:
    """Graph does not depend on the Job that fills its cache."""
    for claim, fillers in cache_uses(graph, resource).items():
        waited_for = [job for job in fillers if job.urn in graph.dependencies_of(resource)]
        if fillers and not waited_for:
            yield f"mounts claim {claim} and does not depend on {names(fillers)}, which fills it"
        elif fillers and all(_annotation(job, _SKIP_AWAIT) == "true" for job in waited_for):
            yield (
                f"mounts claim {claim} and depends on {names(waited_for)}, whose annotation "
                f"{_SKIP_AWAIT} lets it count as done before it has run"
            )


@rule(
    _GRAPHS,
    severity=Severity.MANDATORY,
    reason=(
        "At destroy they would go beside the graph or before it: a claim waits for the pods that mount it, a "
        "namespace takes the graph along while the engine still deletes it, and a pod that restarts then "
        "misses its token. At creation the graph may be refused for want of its namespace."
    ),
    source=(
        "https://www.pulumi.com/docs/iac/concepts/resources/options/dependson/ (deleted in reverse order); "
        "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection"
    ),
    lines=EVERY_RELEASE,
    fix="Give the graph depends_on with each of them, or use their outputs in its inputs.",
    reads=frozenset({Aspect.EDGES}),
)
def outlived_by_token_and_cache(graph: ResourceGraph, resource: Resource) -> Iterator[str]:
    """Namespace, token, files or cache go before the graph that uses them."""
    before = graph.dependencies_of(resource)
    namespace, made = resource.namespace, graph.kubernetes_objects_named
    # A namespace that only the update knows is another resource's output, which makes the edge by itself.
    own = [("Namespace", namespace)] if isinstance(namespace, str) else []
    needed = (*own, *((reference.kind, reference.name) for reference in references_of(graph, resource.urn)))
    found = ((f"{kind} {name}", made(kind, name, namespace)) for kind, name in needed)
    # What another program made is not this one's to delete.
    missing = [what for what, objects in found if objects and before.isdisjoint(each.urn for each in objects)]
    if missing:
        yield f"does not depend on {', '.join(missing)}, which it needs as long as it runs"


_WAIT_FOR = "pulumi.com/waitFor"
_SKIP_AWAIT = "pulumi.com/skipAwait"


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "The provider gives up after ten minutes, which is less than a large model takes to download or to "
        "load: the update fails although nothing is wrong, and what comes after it is not created. Of custom "
        "resources it knows no readiness: without the annotation an update succeeds while the workers are "
        "still Pending (advice)."
    ),
    source=(
        "pulumi/pulumi-kubernetes provider/pkg/await/await.go (pulumi.com/waitFor) and provider/pkg/metadata "
        "at a03ff6ba58d2 (customTimeouts, then pulumi.com/timeoutSeconds, then 10 min)"
    ),
    lines=("pulumi-kubernetes of 2026-06",),
    fix=(
        f"Annotate the graph with {_WAIT_FOR}: condition=Ready. Set customTimeouts for create and update, "
        "from the size of the model and the speed of its storage."
    ),
    reads=frozenset({Aspect.PROTECTION}),
)
def waits_have_timeouts(graph: ResourceGraph) -> Iterator[Observation]:
    """Wait for a download or a graph has no time limit of its own, or nobody waits."""
    yield from _GRAPHS.judge(graph, _wait_for_graph)
    # A Job with another template is another Job, so there is no update to wait for.
    yield from Subjects(cache_fillers).judge(
        graph, lambda _, job: _untimed(job, "until it has filled the cache", ("create",))
    )


def _wait_for_graph(_: ResourceGraph, resource: Resource) -> Iterator[Said]:
    if _annotation(resource, _SKIP_AWAIT) == "true":
        yield Advice(f"is not waited for: {_SKIP_AWAIT} is true")
    elif _annotation(resource, _WAIT_FOR) is None:
        yield Advice(f"is not waited for: it has no annotation {_WAIT_FOR}")
    else:
        yield from _untimed(resource, "until its workers have loaded the model", ("create", "update"))


def _untimed(resource: Resource, what: str, operations: Sequence[str]) -> Iterator[str]:
    if (
        _annotation(resource, _SKIP_AWAIT) == "true"
        or _annotation(resource, "pulumi.com/timeoutSeconds") is not None
    ):
        return
    timeouts = resource.custom_timeouts
    untimed = [operation for operation in operations if getattr(timeouts, operation) is None]
    if untimed:
        yield (
            f"is waited for {what}, and nothing says how long at {' and '.join(untimed)}: the provider "
            "gives up after its own 10 minutes"
        )


def _annotation(resource: Resource, key: str) -> str | None:
    return text_at(resource.inputs, "metadata", "annotations", key)
