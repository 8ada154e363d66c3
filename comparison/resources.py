"""Two recordings of a stack, resource by resource, and what the engine makes of each difference."""

from collections.abc import Iterable, Mapping, Sequence

from comparison.changes import FieldChange, Operation, ResourceChange
from comparison.engine_verdicts.consequences import Upstream, changed_outputs, changed_tags
from comparison.engine_verdicts.judge import changed
from comparison.engine_verdicts.resource_types import CAPACITY_BLOCK, is_stateful, type_of, under
from comparison.fields import field_changes
from comparison.pairs import Pair, paired, title_of
from resource_graph import Resource
from resource_graph.urns import STACK_TYPE

_NAME = ("metadata", "name")


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
    fields = field_changes(pair.before.inputs, pair.after.inputs)
    return [each for each in fields if not (pair.is_renamed and each.path == _NAME)]


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
