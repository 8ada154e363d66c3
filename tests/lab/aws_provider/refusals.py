"""A request that must be refused, and how AWS says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.lab.aws_provider.account import Account


@dataclass(frozen=True)
class Refusal:
    """`request` gives the parameters, from what the account has."""

    rule: str
    operation: str
    request: Callable[[Account], dict[str, Any]]
    code: str
    says: str
    service: str = "ec2"


def table(*refusals: Refusal) -> pytest.MarkDecorator:
    """One test for each."""
    return pytest.mark.parametrize("refusal", refusals, ids=lambda refusal: refusal.rule.replace(" ", "_"))


def expect(account: Account, refusal: Refusal) -> None:
    """Sends the request; it must be refused with code, message and request id, and be written down so."""
    client = account.client(refusal.service)
    methods = {name: method for method, name in client.meta.method_to_api_mapping.items()}
    parameters = refusal.request(account)
    with pytest.raises(ClientError) as caught:
        getattr(client, methods[refusal.operation])(**parameters)
    error = caught.value.response
    assert (error["Error"]["Code"], refusal.says in error["Error"]["Message"]) == (refusal.code, True), error
    last = account.requests()[-1]
    assert last["operation"] == refusal.operation
    assert last["requestId"] == error["ResponseMetadata"]["RequestId"]
    assert last["error"] == refusal.code
