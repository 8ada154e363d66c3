"""A provider after Configure: its account and a client for each region."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lab.aws_provider.api import Api, loopback_endpoint
from lab.aws_provider.resource_type import Subject
from lab.provider_service.errors import ProviderError

if TYPE_CHECKING:
    from lab.aws_provider.resource_type import ResourceType
    from lab.aws_provider.settings import Settings


@dataclass
class Session:
    """The cloud as one configured provider sees it."""

    settings: Settings
    endpoint: str
    account: str
    _apis: dict[str, Api] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def open(cls, settings: Settings) -> Session:
        """Asks whose account it is. Raises ProviderError where the settings do not allow that account."""
        endpoint = loopback_endpoint(settings.endpoint)
        api = Api(endpoint, settings.region)
        account = api.call("sts", "GetCallerIdentity")["Account"]
        allowed = settings.allowed_accounts
        if (allowed and account not in allowed) or account in settings.forbidden_accounts:
            raise ProviderError(f"AWS account ID not allowed: {account}")
        return cls(settings, endpoint, account, {settings.region: api})

    def api(self, region: str | None = None) -> Api:
        """The clients of a region, the provider's own by default."""
        wanted = region or self.settings.region
        with self._lock:
            if wanted not in self._apis:
                self._apis[wanted] = Api(self.endpoint, wanted)
            return self._apis[wanted]

    def subject(
        self,
        kind: ResourceType,
        inputs: dict[str, Any],
        state: dict[str, Any] | None = None,
        identifier: str = "",
    ) -> Subject:
        """A resource with all that its type's functions look at."""
        region = inputs.get("region") or (state or {}).get("region")
        tags = {**self.settings.default_tags, **(inputs.get("tags") or {})} if kind.tagging else {}
        return Subject(self.api(region), self.account, identifier, inputs, state or {}, tags)
