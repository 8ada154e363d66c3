"""What credentials may not ask or do not answer, and how the command ends then."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.registry import RULES
from tests.operations.preflight.account import WEEK, at, by_the_hour, in_a_block, seen

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.operations.preflight.account import Account

Preflight = Any


def test_without_credentials_and_with_a_profile_that_does_not_exist_it_says_how_to_get_them(
    account: Account, preflight: Preflight, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    answer = preflight(by_the_hour())
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "preflight asks the account, and there are no credentials: `aws sso login`, or AWS_PROFILE\n"
    )
    monkeypatch.setenv("AWS_PROFILE", "typo")
    answer = preflight(by_the_hour())
    assert (answer.code, answer.out) == (2, "")
    assert "AWS cannot be asked" in answer.err
    assert "typo" in answer.err


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str, str], None]:
    """Lets AWS refuse an operation, as it does when credentials lack the right or have run out."""

    def refused(service: str, operation: str, code: str) -> None:
        def rule(place: object, given: dict[str, Any]) -> None:
            raise Refused(code, "You are not authorized to perform this operation.")

        monkeypatch.setitem(RULES, (service, operation), [rule])

    return refused


def test_what_is_refused_is_unknown_with_its_reason_and_the_rest_is_answered(
    account: Account, preflight: Preflight, refuse: Any
) -> None:
    account.bought(at(-1), at(WEEK))
    refuse("ec2", "DescribeCapacityReservations", "UnauthorizedOperation")
    refuse("ec2", "DescribeInstanceTypeOfferings", "UnauthorizedOperation")
    refuse("eks", "DescribeAddonVersions", "AccessDeniedException")
    refuse("service-quotas", "GetServiceQuota", "NoSuchResourceException")
    shown = seen(preflight(in_a_block(at(-1))))
    assert "unknown pool b200: capacity" in shown
    assert "these credentials may not ec2:DescribeCapacityReservations" in shown
    assert "unknown pool b200: p6-b200.48xlarge in us" in shown
    assert "these credentials may not eks:DescribeAddonVersions" in shown
    assert "unknown quota: VPCs" in shown
    assert "service-quotas:GetServiceQuota ends in NoSuchResourceException (request " in shown
    assert "good account" in shown


def test_credentials_that_have_run_out_end_it(account: Account, preflight: Preflight, refuse: Any) -> None:
    refuse("sts", "GetCallerIdentity", "ExpiredToken")
    answer = preflight(by_the_hour())
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "AWS refuses the credentials (ExpiredToken): `aws sso login` again, or AWS_PROFILE\n"


def test_the_account_is_asked_as_the_role_that_is_assumed(
    account: Account, preflight: Preflight, refuse: Any
) -> None:
    settings = by_the_hour()
    settings["cluster"]["assumeRole"] = "arn:aws:iam::123456789012:role/deployer"
    assert "good account" in seen(preflight(settings))
    asked = [json.loads(line) for line in (account.folder / "requests.jsonl").read_text().splitlines()]
    assumed = [each["parameters"] for each in asked if each["operation"] == "AssumeRole"]
    role = "arn:aws:iam::123456789012:role/deployer"
    assert assumed[-1] == {"RoleArn": role, "RoleSessionName": "dynamo-stack-preflight"}
    refuse("sts", "AssumeRole", "AccessDenied")
    answer = preflight(settings)
    assert (answer.code, answer.out) == (2, "")
    assert f"AWS does not let these credentials assume {role} (cluster.assumeRole)" in answer.err


def test_nothing_is_written_to_the_account(account: Account, preflight: Preflight) -> None:
    account.bought(at(-1), at(WEEK))
    before = len((account.folder / "requests.jsonl").read_text(encoding="utf-8").splitlines())
    preflight(in_a_block(at(-1)))
    lines = (account.folder / "requests.jsonl").read_text(encoding="utf-8").splitlines()[before:]
    assert lines
    assert all('"operation": "Describe' in line or '"operation": "Get' in line for line in lines)
