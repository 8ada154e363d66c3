"""The provider: each of the engine's calls, for an object or for a Helm release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.kubernetes_provider import (
    check,
    config_diff,
    create,
    delete,
    helm_release,
    kinds,
    read,
    resource_diff,
    settings,
    update,
)
from lab.kubernetes_provider.errors import Gone, ProviderError
from lab.kubernetes_provider.session import Session
from lab.kubernetes_provider.values import Properties, plain_map
from lab.provider_service.difference import ResourceDiff
from lab.provider_service.errors import NotServedError
from lab.provider_service.naming import token_of

if TYPE_CHECKING:
    from pathlib import Path

    from lab.provider_service.difference import ConfigDiff
    from lab.provider_service.host import Host

# Not every provider needs all that the engine says.
# ruff: noqa: ARG002

_FORGET = (
    "If the cluster was deleted, you can remove this resource from Pulumi state by rerunning the operation "
    'with the PULUMI_K8S_DELETE_UNREACHABLE environment variable set to "true"'
)
_UNREACHABLE_READ = f"failed to read resource state due to unreachable cluster. {_FORGET}"
_UNREACHABLE_DELETE = f"configured Kubernetes cluster is unreachable. {_FORGET}"


class Provider:
    """One configured provider; calls come from many threads at once."""

    def __init__(self, host: Host, private_folder: Path) -> None:
        self._host = host
        self._private_folder = private_folder
        self._session: Session | None = None

    def check_config(self, new: Properties) -> list[check.Failure]:
        """Reasons to refuse the provider's own inputs."""
        return settings.refusals(plain_map(new))

    def diff_config(self, old: Properties, new: Properties) -> ConfigDiff:
        """Whether the provider changed, and whether into one of another cluster."""
        return config_diff.diff(plain_map(old), plain_map(new))

    def configure(self, arguments: Properties) -> None:
        """Connects. A cluster that cannot be reached is no error here. Raises NotLoopbackError."""
        chosen = settings.Settings.from_inputs(plain_map(arguments))
        self._session = Session.open(chosen, self._host, self._private_folder)

    def cancel(self) -> None:
        """Ends every wait that is under way."""
        if self._session is not None:
            self._session.cancelled.set()

    def check(
        self, urn: str, old: Properties, new: Properties, seed: bytes
    ) -> tuple[Properties, list[check.Failure]]:
        """The inputs, completed, and reasons to refuse them."""
        if _is_release(urn):
            return helm_release.check(self._configured, urn, old, new, seed)
        return check.check(self._configured, urn, new)

    def diff(
        self, urn: str, old_state: Properties, old_inputs: Properties, new: Properties, ignored: list[str]
    ) -> ResourceDiff:
        """What an update would change."""
        if _is_release(urn):
            found = helm_release.diff(old_state, new, ignored)
            return ResourceDiff(found, found.replaces, delete_before_replace=False)
        return resource_diff.diff(self._configured, urn, old_state, new, ignored)

    def create(
        self, urn: str, properties: Properties, *, seconds: float, preview: bool
    ) -> tuple[str, Properties]:
        """Creates, or in a preview tries to, and returns id and state."""
        if _is_release(urn):
            return helm_release.create(self._configured, urn, properties, preview=preview)
        return create.create(self._configured, urn, properties, seconds=seconds, preview=preview)

    def update(
        self,
        urn: str,
        identifier: str,
        old_state: Properties,
        old_inputs: Properties,
        properties: Properties,
        *,
        seconds: float,
        ignored: list[str],
        preview: bool,
    ) -> Properties:
        """Updates, or in a preview tries to, and returns the state."""
        if _is_release(urn):
            return helm_release.update(self._configured, properties, preview=preview)
        return update.update(
            self._configured, urn, old_state, properties, seconds=seconds, ignored=ignored, preview=preview
        )

    def read(
        self, urn: str, identifier: str, state: Properties, old_inputs: Properties
    ) -> tuple[Properties, Properties]:
        """State and inputs. Raises Gone when there is nothing to read."""
        session = self._configured
        if _is_forgotten(session, urn, _UNREACHABLE_READ):
            raise Gone
        if _is_release(urn):
            return helm_release.read(session, identifier, state)
        return read.read(session, identifier, state, old_inputs)

    def delete(self, urn: str, identifier: str, state: Properties, *, seconds: float) -> None:
        """Deletes and waits until the resource is gone."""
        session = self._configured
        if _is_release(urn):
            helm_release.delete(session, state)
        elif not _is_forgotten(session, urn, _UNREACHABLE_DELETE):
            delete.delete(session, urn, identifier, state, seconds=seconds)

    def invoke(self, token: str, arguments: Properties) -> Properties:
        """No function is served. Raises NotServedError."""
        raise NotServedError(f"this stand-in does not serve the function {token}")

    @property
    def _configured(self) -> Session:
        if self._session is None:
            raise ProviderError("the engine has not configured this provider")
        return self._session


def _is_release(urn: str) -> bool:
    return token_of(urn) == kinds.RELEASE


def _is_forgotten(session: Session, urn: str, refusal: str) -> bool:
    """Whether the resource of an unreachable cluster goes out of the state; raises ProviderError if not."""
    if session.connected is not None:
        return False
    session.host.warning(urn, f"configured Kubernetes cluster is unreachable: {session.unreachable_reason}")
    if not session.has("deleteUnreachable"):
        raise ProviderError(refusal)
    session.host.info(urn, "Deleting the unreachable resource from Pulumi state (`deleteUnreachable`)")
    return True
