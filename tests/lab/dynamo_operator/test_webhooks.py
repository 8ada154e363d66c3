"""What makes the API server ask the operator, which Helm writes too."""

import asyncio
import copy
from typing import Any, cast

import pytest

from lab.controller.api import ApiError, KubernetesApi
from lab.dynamo_operator.installation import Installation, OperatorConfiguration
from lab.dynamo_operator.webhooks import trust_webhooks

CONFLICT = 409
INSTALLED = Installation(
    "dynamo-system", "operator", "uid", applies_crds=False, configuration=OperatorConfiguration("1.2.1")
)


class Api:
    """One configuration of each kind, which Helm updates just after it has been listed for the first time."""

    def __init__(self) -> None:
        self.stored: dict[str, dict[str, Any]] = {}

    async def list(self, _: str, kind: str) -> list[dict[str, Any]]:
        if kind in self.stored:
            return [copy.deepcopy(self.stored[kind])]
        found = _configuration(kind, "1", failure_policy="Ignore")
        self.stored[kind] = _configuration(kind, "2", failure_policy="Fail")
        return [found]

    async def merge_patch(self, manifest: dict[str, Any], changes: dict[str, Any]) -> None:
        stored = self.stored[manifest["kind"]]
        version = changes.get("metadata", {}).get("resourceVersion")
        if version not in {None, stored["metadata"]["resourceVersion"]}:
            raise ApiError(CONFLICT, "the object has been modified")
        stored["webhooks"] = changes["webhooks"]


def _configuration(kind: str, version: str, failure_policy: str) -> dict[str, Any]:
    service = {"name": INSTALLED.configuration.webhook_service, "namespace": INSTALLED.namespace}
    webhook = {"clientConfig": {"service": service}, "failurePolicy": failure_policy}
    return {"kind": kind, "metadata": {"resourceVersion": version}, "webhooks": [webhook]}


def test_an_update_of_the_release_is_not_taken_back_with_the_authority_that_is_written() -> None:
    api = Api()

    async def look() -> None:
        await trust_webhooks(cast("KubernetesApi", api), INSTALLED, "authority")

    # Once for each kind; the operator looks again where it fails.
    for _ in range(2):
        with pytest.raises(ApiError, match="has been modified"):
            asyncio.run(look())
    asyncio.run(look())
    webhooks = [webhook for each in api.stored.values() for webhook in each["webhooks"]]
    assert [webhook["failurePolicy"] for webhook in webhooks] == ["Fail", "Fail"]
    assert [webhook["clientConfig"]["caBundle"] for webhook in webhooks] == ["authority", "authority"]
