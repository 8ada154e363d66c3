"""Create, update, read and delete of one resource."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.aws_provider.comparison import changed_inputs, compare
from lab.aws_provider.errors import AwsError
from lab.aws_provider.mapping import creating_request, values_of
from lab.provider_service.errors import Gone, InitializationError, ProviderError
from lab.provider_service.values import UNKNOWN, to_properties

if TYPE_CHECKING:
    from lab.aws_provider.resource_type import ResourceType, Subject
    from lab.aws_provider.session import Session

State = dict[str, Any]


@dataclass(frozen=True)
class Recorded:
    """What the engine has of a resource: outputs of the last operation, inputs of the last update."""

    state: State
    inputs: State


def create(session: Session, kind: ResourceType, inputs: State) -> tuple[str, State]:
    """Creates and returns id and state. Raises ProviderError, or InitializationError when half done."""
    subject = session.subject(kind, inputs)
    if kind.prepare is not None:
        kind.prepare(subject)
    if kind.adopts is not None:
        identifier = kind.adopts(subject)
    else:
        request = creating_request(kind, subject)
        answer = subject.api.call(kind.service, kind.create, request)
        identifier = kind.identify(subject, answer)
    made = session.subject(kind, inputs, {}, identifier)
    later = {
        key for key, entry in kind.inputs.items() if key in inputs and (entry.create is None or kind.adopts)
    }
    try:
        if kind.finish is not None:
            kind.finish(made)
        _apply(kind, made, {key for key in later if kind.inputs[key].update})
        if kind.adopts is not None and kind.tagging is not None:
            _change_tags(kind, made, {})
        return identifier, _state(kind, made)
    except ProviderError as error:
        # It is there: an engine that forgot it would leave it behind.
        raise InitializationError(identifier, str(error), [], to_properties(inputs)) from error


def preview_of_create(kind: ResourceType, inputs: State, tags: dict[str, str], region: str) -> State:
    """The inputs, and unknowns for what only AWS decides."""
    state = {**dict.fromkeys(kind.outputs, UNKNOWN), **inputs}
    for key in kind.outputs:
        if isinstance(inputs.get(key), dict):
            state[key] = UNKNOWN
    if kind.regional:
        state.setdefault("region", region)
    if kind.tagging is not None:
        state["tagsAll"] = tags
    return state


def update(session: Session, kind: ResourceType, identifier: str, recorded: Recorded, inputs: State) -> State:
    """Sends what changed and returns the state."""
    state = recorded.state
    subject = session.subject(kind, inputs, state, identifier)
    changed = changed_inputs(compare(kind, state, recorded.inputs, inputs, []))
    _apply(kind, subject, changed)
    if kind.tagging is not None and subject.tags != state.get("tagsAll", {}):
        _change_tags(kind, subject, state.get("tagsAll") or {})
    return _state(kind, subject)


def preview_of_update(kind: ResourceType, state: State, inputs: State, tags: dict[str, str]) -> State:
    """The state with the new inputs; unknowns for outputs that an update may change."""
    result = {**state, **inputs, **dict.fromkeys(kind.volatile, UNKNOWN)}
    for key, value in inputs.items():
        # Outputs inside an object of the program stay beside its new values.
        if isinstance(value, dict) and isinstance(state.get(key), dict):
            result[key] = {**state[key], **value}
    if kind.tagging is not None:
        result["tagsAll"] = tags
    return result


def read(
    session: Session, kind: ResourceType, identifier: str, state: State, inputs: State
) -> tuple[State, State]:
    """State and inputs as AWS has them now. Raises Gone."""
    subject = session.subject(kind, inputs, state, identifier)
    found = _state(kind, subject)
    if not inputs:
        wanted = {key for key in kind.inputs if key in found}
        return found, {key: found[key] for key in wanted} | (
            {"tags": found["tags"]} if found.get("tags") else {}
        )
    return found, {
        key: _said(found.get(key, value), value) if key in kind.outputs else found.get(key, value)
        for key, value in inputs.items()
    }


def _said(found: Any, given: Any) -> Any:
    """Without what AWS added to an object of the program."""
    if isinstance(found, dict) and isinstance(given, dict) and given:
        return {key: value for key, value in found.items() if key in given}
    return found


def delete(session: Session, kind: ResourceType, identifier: str, state: State) -> None:
    """Deletes; fine when it is gone already."""
    subject = session.subject(kind, {}, state, identifier)
    try:
        kind.delete(subject)
    except AwsError as error:
        if error.code not in kind.gone:
            raise


def _apply(kind: ResourceType, subject: Subject, changed: set[str]) -> None:
    groups: dict[str, set[str]] = {}
    for key in changed:
        if key not in kind.inputs:
            continue
        name = kind.inputs[key].update
        if not name:
            raise ProviderError(f"the input {key!r} of {kind.pulumi_type} cannot be updated")
        groups.setdefault(name, set()).add(key)
    # In the order of the catalogue, which is the order in which Terraform's provider sends them.
    for name, entry in kind.updates.items():
        if name in groups:
            entry.apply(subject, groups[name])


def _change_tags(kind: ResourceType, subject: Subject, old: dict[str, str]) -> None:
    if kind.tagging is None:
        return
    description = _described(kind, subject)
    gone = sorted(set(old) - set(subject.tags))
    kind.tagging.change(subject, description, subject.tags, gone)


def _described(kind: ResourceType, subject: Subject) -> dict[str, Any]:
    try:
        found = kind.describe(subject)
    except AwsError as error:
        if error.code in kind.gone:
            raise Gone from error
        raise
    if found is None:
        raise Gone
    return found


def _state(kind: ResourceType, subject: Subject) -> State:
    description = _described(kind, subject)
    state = values_of(kind, description, subject)
    for name, value in kind.outputs.items():
        made = value(subject, description)
        both = isinstance(made, dict) and isinstance(state.get(name), dict)
        state[name] = {**state[name], **made} if both else made
    if kind.regional:
        state["region"] = subject.region
    if kind.tagging is not None:
        # The provider's default tags are the program's only where it gives them itself.
        own = subject.inputs.get("tags") or {}
        defaults = {key for key in subject.tags if key not in own}
        tags = {key: value for key, value in state["tagsAll"].items() if key not in defaults}
        state["tags"] = tags or None
    return {key: value for key, value in state.items() if value is not None}
