"""A provider after Configure: its account and the clients of its region."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.aws_provider.api import Api, loopback_endpoint
from lab.aws_provider.resource_type import Subject
from lab.provider_service.errors import ProviderError

if TYPE_CHECKING:
    from lab.aws_provider.resource_type import ResourceType
    from lab.aws_provider.settings import Settings


@dataclass(frozen=True)
class Session:
    """The cloud as one configured provider sees it."""

    settings: Settings
    account: str
    api: Api

    @classmethod
    def open(cls, settings: Settings) -> Session:
        """Asks whose account it is. Raises ProviderError where the settings do not allow that account."""
        api = Api(loopback_endpoint(settings.endpoint), settings.region)
        account = api.call("sts", "GetCallerIdentity")["Account"]
        if settings.allowed_accounts and account not in settings.allowed_accounts:
            raise ProviderError(f"AWS account ID not allowed: {account}")
        return cls(settings, account, api)

    def subject(
        self,
        kind: ResourceType,
        inputs: dict[str, Any],
        state: dict[str, Any] | None = None,
        identifier: str = "",
    ) -> Subject:
        """A resource with all that its type's functions look at."""
        tags = {**self.settings.default_tags, **(inputs.get("tags") or {})} if kind.tagging else {}
        return Subject(self.api, self.account, identifier, inputs, state or {}, tags)
