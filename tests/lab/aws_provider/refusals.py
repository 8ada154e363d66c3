"""A request that must be refused, and how AWS says so."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from botocore import xform_name
from botocore.exceptions import ClientError

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
    refuse(account, refusal.operation, refusal.request(account), refusal.code, refusal.says, refusal.service)


def refuse(
    account: Account, operation: str, request: dict[str, Any], code: str, says: str, service: str = "ec2"
) -> None:
    """The same of a request that needs something of its test's own."""
    with pytest.raises(ClientError) as caught:
        getattr(account.client(service), xform_name(operation))(**request)
    error = caught.value.response
    assert (error["Error"]["Code"], says in error["Error"]["Message"]) == (code, True), error
    last = account.requests()[-1]
    said = (operation, error["ResponseMetadata"]["RequestId"], code)
    assert (last["operation"], last["requestId"], last["error"]) == said
