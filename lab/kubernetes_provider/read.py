"""Read: the live object for a refresh."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.kubernetes_provider import checkpoint, field_ownership
from lab.kubernetes_provider.checkpoint import Checkpoint
from lab.kubernetes_provider.errors import Gone, InitializationError, NoMatchError, ProviderError, StatusError
from lab.kubernetes_provider.identity import namespace_and_name
from lab.kubernetes_provider.normalise import is_typed, normalised
from lab.kubernetes_provider.pruning import pruned, with_dropped
from lab.kubernetes_provider.readiness import problems_at_refresh
from lab.kubernetes_provider.values import Properties, plain_map, to_properties, with_secrets_of

if TYPE_CHECKING:
    from lab.kubernetes_provider.session import Session


def read(
    session: Session, identifier: str, state: Properties, old_inputs: Properties
) -> tuple[Properties, Properties]:
    """The object's state and inputs, which are the live values of the fields that the program set.

    Raises Gone, InitializationError for one that is not ready, and ProviderError for an import.
    """
    recorded, inputs = Checkpoint.parse(state), normalised(plain_map(old_inputs))
    if not inputs.get("kind"):
        raise ProviderError("this stand-in imports and gets no objects, only Helm releases")
    _, name = namespace_and_name(identifier)
    try:
        live = session.cluster.get({**inputs, "metadata": {**inputs["metadata"], "name": name}})
    except NoMatchError as error:
        raise Gone from error
    except StatusError as error:
        if error.is_not_found:
            raise Gone from error
        raise
    live_inputs = pruned(live, inputs)
    if is_typed(inputs):
        live_inputs = with_dropped(live_inputs, inputs, recorded.live)
    new_state = checkpoint.record(
        live,
        live_inputs,
        old_inputs,
        recorded.field_manager or field_ownership.new_manager(),
    )
    new_inputs = with_secrets_of(to_properties(live_inputs), old_inputs)
    problems = problems_at_refresh(session.cluster, inputs, live)
    if problems is not None:
        message = f"Resource '{name}' was created but failed to initialize"
        raise InitializationError(identifier, message, [*problems], new_state, new_inputs)
    return new_state, new_inputs
