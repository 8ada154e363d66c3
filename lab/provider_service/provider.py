"""What the gRPC service asks of a provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from lab.provider_service.difference import ConfigDiff, ResourceDiff
    from lab.provider_service.values import Properties

Failure = tuple[str, str]


class Provider(Protocol):
    """One provider; calls come from many threads at once."""

    def check_config(self, new: Properties) -> list[Failure]:
        """Reasons to refuse the provider's own inputs."""
        ...

    def diff_config(self, old: Properties, new: Properties) -> ConfigDiff:
        """Whether the provider changed, and whether into another one."""
        ...

    def configure(self, arguments: Properties) -> None:
        """Takes the provider's inputs."""
        ...

    def cancel(self) -> None:
        """Ends what is under way."""
        ...

    def check(
        self, urn: str, old: Properties, new: Properties, seed: bytes
    ) -> tuple[Properties, list[Failure]]:
        """The inputs, completed, and reasons to refuse them."""
        ...

    def diff(
        self, urn: str, old_state: Properties, old_inputs: Properties, new: Properties, ignored: list[str]
    ) -> ResourceDiff:
        """What an update would change."""
        ...

    def create(
        self, urn: str, properties: Properties, *, seconds: float, preview: bool
    ) -> tuple[str, Properties]:
        """Id and state."""
        ...

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
        """The state."""
        ...

    def read(
        self, urn: str, identifier: str, state: Properties, old_inputs: Properties
    ) -> tuple[Properties, Properties]:
        """State and inputs. Raises Gone when there is nothing to read."""
        ...

    def delete(self, urn: str, identifier: str, state: Properties, *, seconds: float) -> None:
        """Returns when the resource is gone."""
        ...

    def invoke(self, token: str, arguments: Properties) -> Properties:
        """The result of a function. Raises NotServedError."""
        ...
