"""Create, update, read and delete of one resource."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.comparison import changed_inputs, compare
from lab.aws_provider.errors import AwsError
from lab.aws_provider.mapping import creating_request, values_of
from lab.aws_provider.resource_type import PROVIDERS_OWN, at
from lab.provider_service.errors import Gone, InitializationError, ProviderError
from lab.provider_service.values import UNKNOWN, to_properties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.aws_provider.resource_type import Request, ResourceType, Subject
    from lab.aws_provider.session import Session

State = dict[str, Any]


def create(session: Session, kind: ResourceType, inputs: State) -> tuple[str, State]:
    """Creates and returns id and state. Raises ProviderError, or InitializationError when half done."""
    subject = session.subject(kind, inputs)
    if kind.adopts is not None:
        identifier = kind.adopts(subject)
    else:
        answer = subject.api.call(kind.service, kind.create, creating_request(kind, subject))
        identifier = kind.identify(subject, answer)
    made = session.subject(kind, inputs, {}, identifier)
    later = {
        key
        for key, entry in kind.inputs.items()
        if key in inputs and entry.update and (entry.create is None or kind.adopts)
    }
    try:
        if kind.finish is not None:
            kind.finish(made)
        _apply(kind, made, later)
        return identifier, _state(kind, made)
    except ProviderError as error:
        # It is there: an engine that forgot it would leave it behind.
        raise InitializationError(identifier, str(error), [], to_properties(inputs)) from error


def preview_of_create(kind: ResourceType, inputs: State, tags: dict[str, str]) -> State:
    """The inputs, and unknowns for what only AWS decides."""
    state = {**dict.fromkeys(kind.outputs, UNKNOWN), **inputs}
    for key in kind.outputs:
        if isinstance(inputs.get(key), dict):
            state[key] = UNKNOWN
    return state | ({"tagsAll": tags} if kind.tagging else {})


def update(
    session: Session, kind: ResourceType, identifier: str, state: State, *, old: State, inputs: State
) -> State:
    """Sends what changed and returns the state. Raises ProviderError for what is not served."""
    subject = session.subject(kind, inputs, state, identifier)
    tags = state.get("tagsAll") or {}
    if subject.tags != tags and kind.retag is None:
        raise ProviderError(f"the tags of {kind.pulumi_type} cannot be updated")
    _apply(kind, subject, changed_inputs(compare(kind, state, old, inputs, [])))
    if subject.tags != tags and kind.retag is not None:
        _send(kind, subject, kind.retag(subject, tags))
    return _state(kind, subject)


def preview_of_update(kind: ResourceType, state: State, inputs: State, tags: dict[str, str]) -> State:
    """The state with the new inputs; unknowns for outputs that an update may change."""
    result = {**state, **inputs, **dict.fromkeys(kind.volatile, UNKNOWN)}
    for key, value in inputs.items():
        # Outputs inside an object of the program stay beside its new values.
        if isinstance(value, dict) and isinstance(state.get(key), dict):
            result[key] = {**state[key], **value}
    return result | ({"tagsAll": tags} if kind.tagging else {})


def read(
    session: Session, kind: ResourceType, identifier: str, state: State, inputs: State
) -> tuple[State, State]:
    """State and inputs as AWS has them now. Raises Gone, and ProviderError for an import."""
    if not inputs:
        raise ProviderError(f"this stand-in imports no {kind.pulumi_type}: it reads what a program gave it")
    found = _state(kind, session.subject(kind, inputs, state, identifier))
    return found, {
        key: _said(found.get(key, value), value) if key in kind.outputs else found.get(key, value)
        for key, value in inputs.items()
    }


def delete(session: Session, kind: ResourceType, identifier: str, state: State) -> None:
    """Deletes; fine when it is gone already."""
    subject = session.subject(kind, {}, state, identifier)
    try:
        _send(kind, subject, kind.delete(subject))
    except AwsError as error:
        if error.code not in kind.gone:
            raise


def _said(found: Any, given: Any) -> Any:
    """Without what AWS added to an object of the program."""
    if isinstance(found, dict) and isinstance(given, dict) and given:
        return {key: value for key, value in found.items() if key in given}
    return found


def _send(kind: ResourceType, subject: Subject, requests: Sequence[Request]) -> None:
    for operation, parameters in requests:
        subject.api.call(kind.service, operation, parameters)


def _apply(kind: ResourceType, subject: Subject, changed: set[str]) -> None:
    groups: dict[str, set[str]] = {}
    for key in changed & kind.inputs.keys():
        groups.setdefault(kind.inputs[key].update, set()).add(key)
    groups.pop(PROVIDERS_OWN, None)
    # In the order of the catalogue, which is the order in which Terraform's provider sends them.
    for name, requests in kind.updates.items():
        if name in groups:
            _send(kind, subject, requests(subject, groups.pop(name)))
    if groups:
        raise ProviderError(f"these inputs of {kind.pulumi_type} cannot be updated: {groups}")


def _described(kind: ResourceType, subject: Subject) -> dict[str, Any]:
    try:
        answer = subject.api.call(kind.service, kind.read, kind.ask(subject))
        found = at(answer, kind.found) if kind.found else answer
        described = kind.complete(subject, found) if found else None
    except AwsError as error:
        if error.code in kind.gone:
            raise Gone from error
        raise
    if described is None:
        raise Gone
    return described


def _state(kind: ResourceType, subject: Subject) -> State:
    description = _described(kind, subject)
    state = values_of(kind, description, subject)
    for name, value in kind.outputs.items():
        made = value(subject, description)
        both = isinstance(made, dict) and isinstance(state.get(name), dict)
        state[name] = {**state[name], **made} if both else made
    if kind.tagging is not None:
        # The provider's default tags are the program's only where it gives them itself.
        own = subject.inputs.get("tags") or {}
        defaults = {key for key in subject.tags if key not in own}
        tags = {key: value for key, value in state["tagsAll"].items() if key not in defaults}
        state["tags"] = tags or None
    return {key: value for key, value in state.items() if value is not None}
