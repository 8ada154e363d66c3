"""Two recordings of a stack, resource by resource, and what the engine makes of each difference."""

from collections.abc import Iterable, Mapping, Sequence

from comparison.changes import Change, FieldChange, Operation, ResourceChange
from comparison.engine_verdicts.consequences import Upstream, changed_outputs, changed_tags
from comparison.engine_verdicts.dynamo_graphs import is_graph
from comparison.engine_verdicts.judge import elsewhere, verdict_on
from comparison.engine_verdicts.resource_types import CAPACITY_BLOCK, is_stateful, type_of
from comparison.engine_verdicts.verdict import Outcome, under
from comparison.fields import field_changes
from comparison.pairs import Pair, name_of, paired, title_of
from comparison.secret_marks import inputs_of
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
    is_lasting = change.operation in {Operation.DELETE, Operation.REPLACE, Operation.FORGET}
    return not (is_lasting or change.is_refused), not (change.is_protected or change.is_stateful)


def _judged(pairs: Sequence[Pair], head: Mapping[str, Resource]) -> dict[str, ResourceChange]:
    upstream = Upstream(
        {each.before.urn: each.after.urn for each in pairs if each.before.urn != each.after.urn}
    )
    found: dict[str, ResourceChange] = {}
    for pair in pairs:
        fields = [*_fields(pair), *changed_outputs(pair, upstream), *changed_tags(pair, upstream)]
        has_new_provider = pair.after.provider in upstream.replaced
        options = _options(pair)
        acted_on = [each for each in fields if not under(each.path, pair.after.ignore_changes)]
        verdict = verdict_on(pair, acted_on, head)
        if has_new_provider:
            verdict = elsewhere(verdict)
        if not verdict.fields and not options and not has_new_provider and not pair.is_renamed:
            continue
        found[pair.after.urn] = _changed(pair, verdict, options)
        upstream.note(pair.after, verdict.operation, verdict.fields)
    return found


def _fields(pair: Pair) -> Sequence[FieldChange]:
    if is_graph(pair.after) and pair.has_other_version:
        # Its verdict reads both in the words of one version.
        return ()
    fields = field_changes(inputs_of(pair.before), inputs_of(pair.after))
    return [each for each in fields if not (pair.is_renamed and each.path == _NAME)]


def _changed(pair: Pair, verdict: Outcome, options: Sequence[FieldChange]) -> ResourceChange:
    before, after = pair.before, pair.after
    operation, old = _operation(pair, verdict), title_of(before)
    return ResourceChange(
        urn=after.urn,
        type=after.type,
        title=title_of(after),
        operation=operation,
        goes=old if operation is Operation.REPLACE and old != title_of(after) else None,
        fields=(*verdict.fields, *options),
        renamed_from=name_of(before) if pair.is_renamed else None,
        deletes_first=verdict.deletes_first,
        # What the state says decides: an update that unprotects and deletes at once is refused.
        is_protected=bool(before.protect),
        is_stateful=is_stateful(after),
        reasons=(*verdict.refusals, *verdict.reasons, *_of_options(pair, verdict.operation)),
    )


def _operation(pair: Pair, verdict: Outcome) -> Operation:
    # The engine writes its own options down in the state, and asks nobody to change anything.
    is_as_before = verdict.operation is Operation.UPDATE and not verdict.fields and not pair.is_renamed
    return Operation.KEEP if is_as_before else verdict.operation


def _of_options(pair: Pair, operation: Operation) -> tuple[str, ...]:
    """Return what the resource's own options do: one sentence each."""
    before, after = pair.before, pair.after
    said: list[str] = []
    if before.protect and not after.protect:
        said.append("The engine refuses to delete it until this is applied, and no longer then.")
    if operation is Operation.REPLACE and before.protect:
        said.append("The engine refuses to replace what is protected.")
    if operation is Operation.REPLACE and before.retain_on_delete:
        said.append("The old one stays where it is, and nobody looks after it any more (retainOnDelete).")
    return tuple(said)


def _options(pair: Pair) -> tuple[FieldChange, ...]:
    """Return how the engine's own options differ, which say what may happen to the resource from then on."""
    options = (
        ("protect", bool(pair.before.protect), bool(pair.after.protect)),
        ("retainOnDelete", bool(pair.before.retain_on_delete), bool(pair.after.retain_on_delete)),
    )
    return tuple(
        FieldChange(path=("options", name), change=Change.CHANGED, before=before, after=after)
        for name, before, after in options
        if before != after
    )


def _added(resource: Resource) -> ResourceChange:
    reasons = type_of(resource).because[:1] if resource.type == CAPACITY_BLOCK else ()
    return _of_one_side(resource, Operation.CREATE, reasons)


def _removed(resource: Resource) -> ResourceChange:
    # The engine refuses to delete what is protected before it asks whether to keep it (pulumi/pulumi
    # pkg/resource/deploy/step.go, DeleteStep).
    is_forgotten = resource.retain_on_delete and not resource.protect
    return _of_one_side(
        resource,
        Operation.FORGET if is_forgotten else Operation.DELETE,
        ("The engine refuses to delete what is protected.",) if resource.protect else (),
    )


def _of_one_side(resource: Resource, operation: Operation, reasons: tuple[str, ...]) -> ResourceChange:
    return ResourceChange(
        urn=resource.urn,
        type=resource.type,
        title=title_of(resource),
        operation=operation,
        is_protected=bool(resource.protect),
        is_stateful=is_stateful(resource),
        reasons=reasons,
    )
