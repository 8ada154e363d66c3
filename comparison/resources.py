"""Two recordings of a stack, resource by resource, and what the engine makes of each difference."""

from collections.abc import Iterable, Mapping, Sequence

from comparison.changes import FieldChange, Operation, ResourceChange
from comparison.engine_verdicts.consequences import Upstream, changed_outputs, changed_tags, unknown_places
from comparison.engine_verdicts.dynamo_graphs import is_graph
from comparison.engine_verdicts.judge import changed
from comparison.engine_verdicts.resource_types import CAPACITY_BLOCK, is_built_in, is_stateful, type_of, under
from comparison.fields import field_changes
from comparison.nested_values import amount_of
from comparison.pairs import Pair, paired, title_of
from comparison.secret_marks import inputs_of
from resource_graph import Resource
from resource_graph.urns import STACK_TYPE

_NAME = ("metadata", "name")
_POD = "spec.template.spec"
_SWITCHES = (
    *(f"{_POD}.{switch}" for switch in ("hostIPC", "hostNetwork", "hostPID")),
    *(f"{_POD}.*.*.{switch}" for switch in ("stdin", "stdinOnce", "tty")),
    f"{_POD}.*.*.volumeMounts.*.readOnly",
)
"""Off is the same to the provider as not written: it compares built-in objects without unknown inputs as
client-go's types, which leave such a switch out (facts/provider.md §1)."""
_AMOUNTS = (
    *(f"{_POD}.*.*.resources.{part}" for part in ("limits", "requests")),
    f"{_POD}.volumes.*.emptyDir.sizeLimit",
    "spec.resources.requests",
    "spec.volumeClaimTemplates.*.spec.resources.requests",
    "spec.capacity",
)
"""In these types 1024Mi and 1Gi are one amount; in a custom resource, such as a graph, they are two texts."""


def compare(base: Iterable[Resource], head: Iterable[Resource]) -> tuple[ResourceChange, ...]:
    """Return every resource that differs, and what the engine does with it when HEAD is applied on BASE.

    Components are left out: they exist in the program alone. What is deleted, replaced or refused comes
    first, of that what is protected or holds data; the rest follows in the order of creation.

    Args:
        base: resources of the older side, in the order of their creation.
        head: resources of the newer side, in the order of theirs.

    """
    old, new = (
        tuple(each for each in side if each.custom and each.type != STACK_TYPE) for side in (base, head)
    )
    both, removed, added = paired(old, new)
    order = {each.urn: index for index, each in enumerate((*new, *removed))}
    changes = _judged(sorted(both, key=lambda pair: order[pair.after.urn]), {each.urn: each for each in new})
    changes |= {each.urn: _added(each) for each in added}
    changes |= {each.urn: _removed(each) for each in removed}
    return tuple(sorted(changes.values(), key=lambda each: (*urgency(each), order[each.urn])))


def urgency(change: ResourceChange) -> tuple[bool, bool]:
    """Return what sorts a change that lasts or is refused first, of those what is protected or holds data."""
    is_lasting = change.ends or change.operation is Operation.FORGET
    return not (is_lasting or change.is_refused), not (change.is_protected or change.is_stateful)


def _judged(pairs: Sequence[Pair], head: Mapping[str, Resource]) -> dict[str, ResourceChange]:
    upstream = Upstream(
        {each.before.urn: each.after.urn for each in pairs if each.before.urn != each.after.urn}
    )
    found: dict[str, ResourceChange] = {}
    for pair in pairs:
        fields = [*_fields(pair), *changed_outputs(pair, upstream), *changed_tags(pair, upstream)]
        acted_on = [each for each in fields if not under(each, pair.after.ignore_changes)]
        change = changed(pair, acted_on, head, is_elsewhere=pair.after.provider in upstream.replaced)
        if change is not None:
            found[pair.after.urn] = change
            upstream.note(change)
    return found


def _fields(pair: Pair) -> Sequence[FieldChange]:
    if is_graph(pair.after) and pair.has_other_version:
        # Each version has words of its own, and the graph is made again or refused as a whole.
        return field_changes(*({"apiVersion": each.api_version} for each in (pair.before, pair.after)))
    fields: Sequence[FieldChange] = field_changes(inputs_of(pair.before), inputs_of(pair.after))
    if is_built_in(pair.after) and not any(unknown_places((), pair.after.inputs)):
        fields = [each for each in fields if not (_is_off(each) or _is_same_amount(each))]
    return [each for each in fields if not (pair.is_renamed and each.path == _NAME)]


def _is_off(change: FieldChange) -> bool:
    return under(change, _SWITCHES) and not (change.before or change.after)


def _is_same_amount(change: FieldChange) -> bool:
    return under(change, _AMOUNTS) and amount_of(change.before) == amount_of(change.after)


def _added(resource: Resource) -> ResourceChange:
    reasons = type_of(resource).because[:1] if resource.type == CAPACITY_BLOCK else ()
    return _of_one_side(resource, Operation.CREATE, reasons)


def _removed(resource: Resource) -> ResourceChange:
    # The engine refuses to delete what is protected before it asks whether to keep it (pulumi/pulumi
    # pkg/resource/deploy/step.go, DeleteStep).
    is_forgotten = resource.retain_on_delete and not resource.protect
    return _of_one_side(resource, Operation.FORGET if is_forgotten else Operation.DELETE)


def _of_one_side(resource: Resource, operation: Operation, reasons: tuple[str, ...] = ()) -> ResourceChange:
    return ResourceChange(
        urn=resource.urn,
        type=resource.type,
        title=title_of(resource),
        operation=operation,
        is_protected=bool(resource.protect),
        is_stateful=is_stateful(resource),
        reasons=reasons,
    )
