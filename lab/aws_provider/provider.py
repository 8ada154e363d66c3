"""The provider: each of the engine's calls, for any type of the catalogue."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from lab.aws_provider import check, functions, operations, settings
from lab.aws_provider.comparison import compare, with_ignored
from lab.aws_provider.session import Session
from lab.provider_service.difference import Change, ConfigDiff, FieldChange, ResourceDiff
from lab.provider_service.errors import InitializationError, ProviderError
from lab.provider_service.naming import name_of
from lab.provider_service.values import (
    Properties,
    contains_unknown,
    plain_map,
    to_properties,
    with_secrets_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab.aws_provider.resource_type import ResourceType

# The engine says more than every call needs.
# ruff: noqa: ARG002


class Provider:
    """One configured provider; calls come from many threads at once."""

    def __init__(self) -> None:
        self._opened: Session | None = None

    def check_config(self, new: Properties) -> list[check.Failure]:
        """Reasons to refuse the provider's own inputs."""
        return settings.refusals(plain_map(new))

    def diff_config(self, old: Properties, new: Properties) -> ConfigDiff:
        """Another region is another provider, and so are all resources that name none themselves."""
        before, after = plain_map(old), plain_map(new)
        changed = sorted(key for key in {*before, *after} if before.get(key) != after.get(key))
        return ConfigDiff(changed, [key for key in ("region",) if key in changed])

    def configure(self, arguments: Properties) -> None:
        """Connects. Raises ProviderError for another account, and for an endpoint outside the machine."""
        self._opened = Session.open(settings.Settings.from_inputs(plain_map(arguments)))

    def cancel(self) -> None:
        """Nothing: every request is answered at once."""

    def check(
        self, urn: str, old: Properties, new: Properties, seed: bytes
    ) -> tuple[Properties, list[check.Failure]]:
        """The inputs with a name, and reasons to refuse them."""
        inputs, failures = check.check(urn, plain_map(old), plain_map(new), seed)
        return with_secrets_of(to_properties(inputs), new), failures

    def diff(
        self, urn: str, old_state: Properties, old_inputs: Properties, new: Properties, ignored: list[str]
    ) -> ResourceDiff:
        """What an update would change."""
        kind, state, inputs = check.kind_of(urn), plain_map(old_state), plain_map(new)
        found = compare(kind, state, plain_map(old_inputs), inputs, ignored)
        if kind.tagging is not None and "tags" not in ignored:
            self._compare_tags(kind, state, inputs, found.fields)
        names = [key for key in kind.identity if inputs.get(key) != state.get(key)]
        return ResourceDiff(
            found,
            found.replaces,
            delete_before_replace=bool(found.replaces and kind.identity and not names),
        )

    def create(
        self, urn: str, properties: Properties, *, seconds: float, preview: bool
    ) -> tuple[str, Properties]:
        """Creates, or in a preview says what is known already."""
        kind, inputs = check.kind_of(urn), plain_map(properties)
        if preview:
            tags = self._session.subject(kind, _known(inputs)).tags
            state = operations.preview_of_create(kind, inputs, tags)
            return "", with_secrets_of(to_properties(state), properties)
        try:
            with _told(f"creating {kind.pulumi_type} ({name_of(urn)})"):
                identifier, state = operations.create(self._session, kind, inputs)
        except InitializationError as error:
            error.properties = with_secrets_of(error.properties, properties)
            raise
        return identifier, with_secrets_of(to_properties(state), properties)

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
        """Updates, or in a preview says what is known already."""
        kind, state = check.kind_of(urn), plain_map(old_state)
        inputs = with_ignored(plain_map(properties), state, ignored)
        if preview:
            tags = self._session.subject(kind, _known(inputs)).tags
            found = operations.preview_of_update(kind, state, inputs, tags)
        else:
            with _told(f"updating {kind.pulumi_type} ({identifier})"):
                found = operations.update(
                    self._session, kind, identifier, state, old=plain_map(old_inputs), inputs=inputs
                )
        return with_secrets_of(to_properties(found), properties)

    def read(
        self, urn: str, identifier: str, state: Properties, old_inputs: Properties
    ) -> tuple[Properties, Properties]:
        """State and inputs as AWS has them. Raises Gone."""
        kind = check.kind_of(urn)
        with _told(f"reading {kind.pulumi_type} ({identifier})"):
            found, inputs = operations.read(
                self._session, kind, identifier, plain_map(state), plain_map(old_inputs)
            )
        return (
            with_secrets_of(to_properties(found), old_inputs),
            with_secrets_of(to_properties(inputs), old_inputs),
        )

    def delete(self, urn: str, identifier: str, state: Properties, *, seconds: float) -> None:
        """Deletes; fine when it is gone."""
        kind = check.kind_of(urn)
        with _told(f"deleting {kind.pulumi_type} ({identifier})"):
            operations.delete(self._session, kind, identifier, plain_map(state))

    def invoke(self, token: str, arguments: Properties) -> Properties:
        """The result of a function. Raises NotServedError."""
        return to_properties(functions.invoke(self._session, token, plain_map(arguments)))

    def _compare_tags(
        self,
        kind: ResourceType,
        state: dict[str, object],
        inputs: dict[str, object],
        found: dict[str, FieldChange],
    ) -> None:
        if contains_unknown(inputs.get("tags")):
            found["tags"] = FieldChange(Change.UPDATE, replaces=False)
            return
        wanted = self._session.subject(kind, _known(inputs)).tags
        if wanted != (state.get("tagsAll") or {}):
            # Of default tags alone the program's own are unchanged.
            key = "tags" if (inputs.get("tags") or {}) != (state.get("tags") or {}) else "tagsAll"
            found[key] = FieldChange(Change.UPDATE, replaces=False)

    @property
    def _session(self) -> Session:
        if self._opened is None:
            raise ProviderError("the engine has not configured this provider")
        return self._opened


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Puts what was being done before AWS's own words."""
    try:
        yield
    except ProviderError as error:
        raise ProviderError(f"{what}: {error}") from error


def _known(inputs: dict[str, object]) -> dict[str, object]:
    """The inputs that decide on tags, as far as they are known."""
    tags = inputs.get("tags")
    return {"tags": tags if isinstance(tags, dict) else {}}
