"""DynamoGraphDeployments: what the webhook refuses, and which pods the operator starts anew.

Sources: facts/previews.md §3d, facts/kv-transport.md §7, crds/dgd-admission.json (rules of an update).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from comparison.changes import Change, Effect, FieldChange, dotted
from comparison.engine_verdicts.resource_types import IDENTITY
from comparison.engine_verdicts.verdict import Outcome, settled, touches, under
from comparison.fields import field_changes
from comparison.nested_values import is_list, is_mapping, value_at
from comparison.pairs import Pair
from comparison.secret_marks import inputs_of
from resource_graph import Resource
from resource_graph.urns import own_type
from rules.reading.pods.pods import GRAPH_KIND, WORKER_TYPES
from stacks.updates.comparable_graph import Graph, read_graph

_GROUP_PREFIX = "kubernetes:nvidia.com/"
_OWN_COMPONENT = "dynamo-stack:components:DynamoGraph"
"""Component of this project: it replaces a graph whose change the webhook or the API server would refuse
(stacks/updates/beside_what_runs.py)."""

_SERVICES = ("spec.components.*", "spec.services.*")
_REFUSED = ("spec.backendFramework",)
_OF_ALL_PODS = (
    "spec.annotations",
    "spec.env",
    "spec.envs",
    "spec.labels",
    "spec.priorityClassName",
    "spec.restart",
)
_STEPS_OF_SERVICE = 3


def is_graph(resource: Resource) -> bool:
    """Return whether it is a Dynamo graph, of either version of its API."""
    return resource.kind == GRAPH_KIND and resource.type.startswith(_GROUP_PREFIX)


def graph_verdict(pair: Pair, fields: Sequence[FieldChange]) -> Outcome:
    """Return what becomes of a graph.

    Args:
        pair: the graph on both sides.
        fields: every field that differs.

    """
    if pair.has_other_version:
        return _other_version(pair)
    judged = [replace(each, effect=_effect(each, pair)) for each in fields]
    # In another namespace, or under another name, both can be at once (facts/provider.md §1).
    keeps_place = not any(touches(each, IDENTITY) for each in judged)
    return settled(
        pair,
        judged,
        provider_deletes_first=keeps_place,
        reasons=_reasons(judged, pair),
        refusal=_refusal,
    )


def _effect(change: FieldChange, pair: Pair) -> Effect:
    if touches(change, IDENTITY):
        return Effect.REPLACES
    if _is_whole_service(change):
        # Where the set of services is another one, this project's program asks for another graph.
        return Effect.REPLACES if _is_own(pair) else Effect.REFUSED
    if touches(change, _REFUSED):
        return Effect.REFUSED
    if touches(change, _SERVICES):
        # The operator leaves replicas out of the workers' hash (deploy/operator/internal/dynamo/hash.go).
        return Effect.IN_PLACE if change.path[_STEPS_OF_SERVICE:] == ("replicas",) else Effect.ROLLS_PODS
    return Effect.ROLLS_PODS if touches(change, _OF_ALL_PODS) else Effect.IN_PLACE


def _is_whole_service(change: FieldChange) -> bool:
    return len(change.path) == _STEPS_OF_SERVICE and touches(change, _SERVICES)


def _other_version(pair: Pair) -> Outcome:
    version = FieldChange(
        path=("apiVersion",),
        change=Change.CHANGED,
        before=pair.before.api_version,
        after=pair.after.api_version,
        effect=Effect.REPLACES if _is_own(pair) else Effect.REFUSED,
    )
    old, new = (_in_common_words(_read(each)) for each in (pair.before, pair.after))
    fields = [version, *field_changes(old, new)]
    reasons = ["The API server cannot change a graph from one API version to the other."]
    refusal = f"To the engine it is another object of this name, and a {GRAPH_KIND} of this name exists."
    return settled(
        pair,
        fields,
        provider_deletes_first=True,
        reasons=reasons if _is_own(pair) else (),
        refusal=lambda _: refusal,
    )


def _read(graph: Resource) -> Graph:
    spec = inputs_of(graph).get("spec")
    return read_graph(graph.name, str(graph.namespace), spec if is_mapping(spec) else {})


def _in_common_words(graph: Graph) -> Mapping[str, object]:
    services = {
        name: {**service.template, "replicas": service.replicas} for name, service in graph.services.items()
    }
    return {"spec": {"components": services}}


def _reasons(fields: Sequence[FieldChange], pair: Pair) -> Iterator[str]:
    for each in fields:
        if each.effect is not Effect.REPLACES:
            continue
        if _is_whole_service(each):
            yield f"{_another_service(each)}, which the webhook refuses: the graph is made again."
        else:
            yield f"The provider makes another graph for another {dotted(each.path)}."
    rolled = {
        each.path[2] for each in fields if each.effect is Effect.ROLLS_PODS and under(each.path, _SERVICES)
    }
    is_replaced = any(each.effect is Effect.REPLACES for each in fields)
    if not is_replaced and any(_is_worker(_service(pair.after, name)) for name in rolled):
        yield "Another template of one worker restarts all workers of the graph."


def _refusal(change: FieldChange) -> str:
    if _is_whole_service(change):
        return f"{_another_service(change)}, which the webhook refuses of a graph that exists."
    return f"The webhook refuses to change {dotted(change.path)} of a graph that exists."


def _another_service(change: FieldChange) -> str:
    what = {Change.ADDED: "comes", Change.REMOVED: "goes", Change.CHANGED: "becomes another"}[change.change]
    return f"Service {change.path[2]} {what}"


def _is_worker(service: Mapping[str, object]) -> bool:
    return service.get("type", service.get("componentType")) in WORKER_TYPES


def _service(graph: Resource, name: str | int) -> Mapping[str, object]:
    services = value_at(graph.inputs, "spec", "services")
    components = value_at(graph.inputs, "spec", "components")
    found = value_at(services, str(name))
    for each in components if is_list(components) else ():
        if value_at(each, "name") == name:
            found = each
    return found if is_mapping(found) else {}


def _is_own(pair: Pair) -> bool:
    parent = pair.after.parent
    return parent is not None and own_type(parent) == _OWN_COMPONENT
