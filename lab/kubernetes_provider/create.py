"""Create: POST, retried while what it needs may still appear, then the wait of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider import checkpoint, field_ownership, object_annotations
from lab.kubernetes_provider.errors import (
    InitializationError,
    NoMatchError,
    NotReadyError,
    ProviderError,
    StatusError,
)
from lab.kubernetes_provider.holds import hold
from lab.kubernetes_provider.naming import resource_id
from lab.kubernetes_provider.readiness import Subject, wait_of
from lab.kubernetes_provider.values import Properties, contains_unknown, plain_map
from lab.kubernetes_provider.waiting import wait_until_ready

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.kubernetes_provider.session import Session

# After every failed try, the last one included.
_PAUSES_SECONDS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)

_ALREADY_EXISTS = (
    "The resource already exists in the cluster. This can happen when: an earlier update was interrupted "
    "after it had created the resource, another tool created it, or it belongs to another stack. "
    "Import it, delete it, or set `upsertExistingObjects` on the provider to take it over."
)


def create(
    session: Session, urn: str, properties: Properties, *, seconds: float, preview: bool
) -> tuple[str, Properties]:
    """The new object's id and state; in a preview no id, and the state that a dry run gives.

    Raises InitializationError when the object exists but its wait failed, ProviderError otherwise.
    """
    inputs = plain_map(properties)
    if preview and not can_preview(session, inputs):
        return "", properties
    cluster = session.cluster
    manager = field_ownership.manager_of(inputs, None)
    hold(session, "before-create", inputs["kind"], preview=preview)
    try:
        live = with_retries(
            lambda: _send(session, inputs, manager, preview=preview),
            pause=session.cancelled.wait,
            say=lambda text: session.host.status(urn, text),
            is_preview=preview,
        )
    except StatusError as error:
        if preview and _is_swallowed(error):
            return "", properties
        raise ProviderError(_refusal(urn, error)) from error
    except NoMatchError as error:
        raise ProviderError(_no_match(urn, inputs, error)) from error
    except ProviderError as error:
        raise ProviderError(_refusal(urn, error)) from error
    if preview:
        live.pop("status", None)
        return "", _record(live, inputs, properties, manager)
    hold(session, "after-create", inputs["kind"], preview=preview)
    if inputs["kind"] == "CustomResourceDefinition":
        cluster.forget_mappings()
    wait = wait_of(Subject(cluster), inputs, live, await_all=session.settings.await_all)
    if wait is None:
        return resource_id(live), _record(_reread(session, live), inputs, properties, manager)
    try:
        ready = wait_until_ready(
            wait,
            cluster,
            live,
            seconds=object_annotations.timeout_seconds(seconds, inputs),
            cancelled=session.cancelled,
            say=lambda text: session.host.status(urn, text),
        )
    except NotReadyError as error:
        message = (
            f'resource "{urn}" was successfully created, but the Kubernetes API server '
            f"reported that it failed to fully initialize or become live: {error}"
        )
        state = _record(error.live or live, inputs, properties, manager)
        raise InitializationError(resource_id(live), message, error.details, state) from error
    return resource_id(ready), _record(ready, inputs, properties, manager)


def can_preview(session: Session, inputs: dict[str, Any]) -> bool:
    """Whether a dry run can say anything: all inputs known, and the kind served by a cluster that answers."""
    if session.connected is None or contains_unknown(inputs):
        return False
    try:
        session.connected.mapping(inputs["apiVersion"], inputs["kind"])
    except (NoMatchError, ProviderError):
        return False
    return True


def with_retries(
    send: Callable[[], dict[str, Any]],
    *,
    pause: Callable[[float], bool],
    say: Callable[[str], None],
    is_preview: bool = False,
) -> dict[str, Any]:
    """Tries six times while something is not found: a namespace or a definition may be on its way.

    `pause` returns True when the operation was cancelled.
    """
    last: ProviderError | None = None
    for number, seconds in enumerate(_PAUSES_SECONDS):
        try:
            return send()
        except (StatusError, NoMatchError) as error:
            missing = isinstance(error, NoMatchError) or error.is_not_found
            # In a preview the namespace may be one that the same update will create.
            if not missing or (is_preview and isinstance(error, StatusError) and error.is_missing_namespace):
                raise
            last = error
            say(f"Retry #{number}; creation failed: {error}")
        if pause(seconds):
            break
    assert last is not None
    raise last


def _send(session: Session, inputs: dict[str, Any], manager: str, *, preview: bool) -> dict[str, Any]:
    cluster = session.cluster
    if session.settings.upsert_existing_objects:
        force = field_ownership.is_forced(
            inputs, None, always=session.settings.enable_patch_force, preview=preview
        )
        try:
            return cluster.apply(inputs, field_manager=manager, force=force, dry_run=preview)
        except StatusError as error:
            raise field_ownership.conflict(error, manager) from error
    return cluster.create(inputs, field_manager=field_ownership.CREATE_MANAGER, dry_run=preview)


def _is_swallowed(error: StatusError) -> bool:
    return (
        error.is_forbidden or error.is_missing_namespace or error.refuses_dry_run or error.is_already_exists
    )


def _refusal(urn: str, error: ProviderError) -> str:
    text = f'resource "{urn}" was not successfully created by the Kubernetes API server: {error}'
    if isinstance(error, StatusError) and error.is_already_exists:
        return f"{text}\n{_ALREADY_EXISTS}"
    return text


def _no_match(urn: str, inputs: dict[str, Any], error: NoMatchError) -> str:
    return (
        f'creation of resource "{urn}" with kind {inputs["apiVersion"]}/{inputs["kind"]} failed because the '
        "Kubernetes API server reported that the apiVersion for this resource does not exist. "
        f"Verify that any required CRDs have been created: {error}"
    )


def _reread(session: Session, live: dict[str, Any]) -> dict[str, Any]:
    try:
        return session.cluster.get(live)
    except ProviderError:
        # It was created; failing now would leave it out of the state.
        return live


def _record(live: dict[str, Any], inputs: dict[str, Any], properties: Properties, manager: str) -> Properties:
    return checkpoint.record(
        live, inputs, properties, initial_api_version=inputs["apiVersion"], field_manager=manager
    )
