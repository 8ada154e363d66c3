"""Two ConfigMaps of one name in one namespace are one, and the last to be applied wins."""

from collections.abc import Iterator, Sequence

from resource_graph import Resource, ResourceGraph, has_unknown
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed, undecided

_KIND = "ConfigMap"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    by_name: dict[tuple[str | None, str], list[Resource]] = {}
    for resource in graph.kubernetes_objects(_KIND):
        if isinstance(resource.object_name, str):
            by_name.setdefault((resource.provider, resource.object_name), []).append(resource)
    for (_, name), resources in by_name.items():
        if len(resources) > 1:
            yield from _check_namesakes(name, resources)


def _check_namesakes(name: str, resources: Sequence[Resource]) -> Iterator[Observation]:
    first: dict[str | None, Resource] = {}
    for resource in resources:
        namespace = resource.namespace
        if namespace is not None and not isinstance(namespace, str):
            yield undecided(resource, name, "its namespace is not known")
            continue
        other = first.setdefault(namespace, resource)
        if other is not resource:
            yield from _check_pair(name, other, resource)
    # One without a namespace lands in any of them, as `kubectl -n` says.
    anywhere, named = first.get(None), [key for key in first if key is not None]
    if anywhere is not None and named:
        in_one = first[named[0]]
        if _is_unknown(in_one) or _is_unknown(anywhere) or _content(in_one) != _content(anywhere):
            where = f"{_where(in_one)} is in namespace {named[0]}"
            yield undecided(anywhere, name, f"nothing says in which namespace it will be; {where}")


def _check_pair(name: str, one: Resource, other: Resource) -> Iterator[Observation]:
    if _is_unknown(one) or _is_unknown(other):
        yield undecided(other, name, f"part of it or of {_where(one)} is known only after the update")
    elif _content(one) != _content(other):
        namespace = other.namespace
        where = f"namespace {namespace}" if namespace else "the namespace that they are applied to"
        yield failed(
            other,
            name,
            f"{_where(other)} and {_where(one)} have different content and are one object in {where}",
        )


def _is_unknown(resource: Resource) -> bool:
    return has_unknown(resource.inputs)


def _content(resource: Resource) -> object:
    return [resource.inputs.get(key) or {} for key in ("data", "binaryData")]


def _where(resource: Resource) -> str:
    return f"the one of {resource.origin}" if resource.origin else f"the one registered as {resource.name}"


RULE = Rule(
    id="config-names-unique",
    title="No two ConfigMaps of different content share a name",
    severity=Severity.MANDATORY,
    reason=(
        "The second to be applied replaces the keys of the first: the pods of the first graph go on until "
        "one of them restarts, and then fail for want of their engine file."
    ),
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b: trtllm/agg/deploy.yaml at 668dd11 and "
        "trtllm/disagg/deploy.yaml at 04521f4, both of which call theirs llm-config"
    ),
    lines=EVERY_RELEASE,
    fix="Give each graph a ConfigMap of its own name, best one that ends in a hash of its content.",
    check=_check,
)
