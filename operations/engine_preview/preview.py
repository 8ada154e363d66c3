"""`pulumi preview` of a stack with its policy pack, as changes, findings and what was said."""

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field, computed_field

from comparison.changes import Change, Effect, FieldChange, Operation, ResourceChange
from comparison.engine_verdicts.resource_types import is_stateful
from comparison.pairs import title_of
from comparison.recording import RecordedFinding, RecordedNotice
from comparison.secret_marks import MARK
from operations.commands import PulumiCommand
from operations.document import Document
from operations.engine_preview.events import EngineStep, Events, ask_engine
from resource_graph import Resource, value_at
from resource_graph.printable import dotted
from resource_graph.urns import STACK_TYPE, own_type, urn_name
from resource_graph.values import Path as PropertyPath


class EnginePreview(Document):
    """What the next `pulumi up` does, in the engine's own words."""

    stack: str
    changes: tuple[ResourceChange, ...] = Field(serialization_alias="resources")
    """As `dynamo-stack diff --format json` has them."""
    findings: tuple[RecordedFinding, ...]
    """Of the policy pack."""
    notices: tuple[RecordedNotice, ...]
    """Effects on what runs, as the program says them."""
    refused: tuple[str, ...]
    """Errors of program, provider or API server."""

    @property
    def stops(self) -> bool:
        """Whether `up` would be refused."""
        mandatory = any(each.severity == "mandatory" for each in self.findings)
        return mandatory or bool(self.refused) or any(each.is_refused for each in self.changes)

    @computed_field
    @property
    def verdict(self) -> Literal["unchanged", "changes", "stops"]:
        """Whether anything changes, and whether `up` would be refused."""
        if self.stops:
            return "stops"
        return "changes" if self.changes else "unchanged"


def preview_stack(name: str) -> EnginePreview:
    """Ask the engine; nothing is changed.

    Raises:
        CommandError: the engine could not look at the stack.

    """
    pulumi = PulumiCommand.of_stack(name)
    pack = ("--policy-pack", "policy") if (pulumi.directory / "policy").is_dir() else ()
    events, answer = ask_engine(pulumi, "preview", *pack)
    found = read_preview(name, events)
    if answer.returncode != 0 and not found.stops:
        raise pulumi.failure(answer.stderr, "preview", *pack)
    return found


def read_preview(stack: str, events: Events) -> EnginePreview:
    """Return what the events of a stack's preview say."""
    return EnginePreview(
        stack=stack,
        changes=resource_changes(events.steps),
        findings=events.findings,
        notices=events.notices,
        # An error about no resource says that the preview failed, which its exit code does too.
        refused=tuple(
            dict.fromkeys(
                message if own_type(urn) == STACK_TYPE else f"{urn_name(urn)}: {message}"
                for urn, message in events.errors
                if urn is not None
            )
        ),
    )


_REPLACING = frozenset({"replace", "create-replacement", "delete-replaced", "import-replacement"})
_SIMPLE = {
    "create": Operation.CREATE,
    "update": Operation.UPDATE,
    "delete": Operation.DELETE,
    "import": Operation.CREATE,
}
_CHANGES = {"add": Change.ADDED, "delete": Change.REMOVED, "update": Change.CHANGED}


def resource_changes(steps: Sequence[EngineStep]) -> tuple[ResourceChange, ...]:
    """Return each resource that changes once, by its URN; a replacement has several steps."""
    by_urn: dict[str, list[EngineStep]] = {}
    for step in steps:
        # A component exists in the program alone: nothing happens to it.
        if step.resource.custom:
            by_urn.setdefault(step.urn, []).append(step)
    # The engine's own order changes from run to run.
    return tuple(change for _, group in sorted(by_urn.items()) for change in _changes(group))


def _changes(steps: Sequence[EngineStep]) -> Iterator[ResourceChange]:
    operations = [step.operation for step in steps]
    replaced = [step for step in steps if step.operation in _REPLACING]
    if replaced:
        # The step that has both sides and the differences.
        step = max(replaced, key=lambda each: (bool(each.before and each.after), len(each.differences)))
        made = operations.index("create-replacement") if "create-replacement" in operations else 0
        deletes_first = "delete-replaced" in operations[:made]
        yield _change(_replacement(step, operations), step, deletes_first=deletes_first)
        return
    for step in steps:
        operation = _SIMPLE.get(step.operation)
        if operation is not None:
            stays = step.before is not None and step.before.resource.retain_on_delete
            gone = operation is Operation.DELETE and stays
            yield _change(Operation.FORGET if gone else operation, step, deletes_first=False)


def _replacement(step: EngineStep, operations: Sequence[str]) -> Operation:
    """Return what a replacement is to a reader, who knows a resource by its name.

    An alias lets one of another name take the place of another: then one goes, and one comes.
    """
    if set(operations) == {"delete-replaced"}:
        return Operation.DELETE
    is_another = step.before is not None and step.before.resource.urn != step.urn
    return Operation.CREATE if is_another else Operation.REPLACE


def _change(operation: Operation, step: EngineStep, *, deletes_first: bool) -> ResourceChange:
    resource = step.resource
    reasons: tuple[str, ...] = ()
    if operation is Operation.REPLACE:
        keys = step.keys or tuple(
            dotted(path) for path, kind in step.differences.items() if "-replace" in kind
        )
        reasons = (f"replaced for {', '.join(keys)}",) if keys else ()
    if step.operation == "import":
        reasons = ("exists, and is taken over",)
    return ResourceChange(
        urn=step.urn,
        type=resource.type,
        title=title_of(resource),
        operation=operation,
        fields=tuple(_fields(step)),
        deletes_first=deletes_first,
        is_protected=bool(step.before and step.before.resource.protect),
        is_stateful=is_stateful(resource),
        reasons=reasons,
    )


def _fields(step: EngineStep) -> Iterator[FieldChange]:
    if step.before is None or step.after is None:
        return
    old = step.before.resource
    new = step.after.resource
    for path, kind in step.differences.items():
        change = _CHANGES.get(kind.removesuffix("-replace"), Change.CHANGED)
        is_secret = any(_holds_secret(side, path) for side in (old, new))
        before, after = (MARK if is_secret else value_at(side.inputs, path) for side in (old, new))
        yield FieldChange(
            path=path,
            change=change,
            before=None if change is Change.ADDED else before,
            after=None if change is Change.REMOVED else after,
            effect=Effect.REPLACES if kind.endswith("-replace") else Effect.IN_PLACE,
            is_secret=is_secret,
        )


def _holds_secret(resource: Resource, path: PropertyPath) -> bool:
    # A value of a Secret that nobody has marked is a secret all the same.
    secrets = resource.secret_paths or ()
    return resource.kind == "Secret" or any(
        path[: len(secret)] == secret or secret[: len(path)] == path for secret in secrets
    )
