"""All that a stack asks of AWS from its first `up` to its `destroy`, by AWS's own models and rules.

The policies that the stack's deployer is to have allow it.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import botocore.session
import pytest
from botocore.validate import ParamValidator

from lab.aws_provider.cloud.service_model import wrong_enum_values
from tests.operations.permissions.evaluation import allowed, asked, made
from tests.stacks.plan.infrastructure.committed_operations import (
    FOLDER,
    committed_operations,
    eks_stacks,
    is_write,
    list_of,
    operations_of,
)
from tests.support.eks_settings_of_every_kind import eks_settings_of_every_kind
from tests.support.shipped_stacks import shipped_settings
from tests.support.simulated_account import Life, Request, live

SESSION = botocore.session.get_session()
OF_EACH_LIST = {list_of(name): name for name in eks_stacks()}.values()
"""One stack of each list: what the others ask for is the same."""
_WORDS = re.compile("[A-Z][a-z]+")
_SYNONYMS = {
    "AllocateAddress": "CreateAddress",
    "ReleaseAddress": "DeleteAddress",
    "PutRolePolicy": "CreateRolePolicy",
    "PutScheduledUpdateGroupAction": "CreateScheduledAction",
    # A key is gone after a while in which it can be had back.
    "ScheduleKeyDeletion": "DeleteKey",
    # What is no thing of its own, but part of one.
    "CreateTags": "TagResource",
}


@pytest.mark.parametrize("name", OF_EACH_LIST)
def test_aws_takes_every_request_of_a_shipped_stack_and_these_are_the_ones_that_change_something(
    name: str, tmp_path: Path
) -> None:
    life = live(shipped_settings(name), tmp_path / "account")
    assert_taken(life)
    assert operations_of(life) == committed_operations(name)
    # Here, for another test would have to bring the stack up again.
    assert denied(life, shipped_settings(name)) == set()


def test_every_list_is_that_of_a_shipped_stack() -> None:
    assert set(FOLDER.glob("*.txt")) == {list_of(name) for name in eks_stacks()}


@pytest.mark.slow
def test_aws_takes_every_request_of_a_stack_with_each_way_of_buying_each_type(
    tmp_path: Path,
) -> None:
    life = live(eks_settings_of_every_kind(), tmp_path / "account")
    assert_taken(life)
    assert denied(life, eks_settings_of_every_kind()) == set()
    groups = all_of(life.up, "CreateNodegroup")
    assert {group["nodegroupName"]: group["capacityType"] for group in groups} == {
        "gpt-oss-system": "ON_DEMAND",
        "gpt-oss-gb200": "CAPACITY_BLOCK",
        "gpt-oss-b200": "CAPACITY_BLOCK",
        "gpt-oss-b300": "ON_DEMAND",
        "gpt-oss-h200": "SPOT",
        "gpt-oss-h100": "ON_DEMAND",
        "gpt-oss-h100-small": "SPOT",
    }
    templates = {
        template["LaunchTemplateName"]: template["LaunchTemplateData"]
        for template in all_of(life.up, "CreateLaunchTemplate")
    }
    cards = {name: template.get("NetworkInterfaces", []) for name, template in templates.items()}
    kinds = {name: [card["InterfaceType"] for card in found] for name, found in cards.items()}
    assert kinds == {
        "gpt-oss-system": ["interface"],
        "gpt-oss-gb200": ["interface", *["efa-only"] * 4],
        "gpt-oss-b200": ["interface", *["efa-only"] * 8],
        "gpt-oss-b300": ["interface", *["efa-only"] * 16],
        "gpt-oss-h200": ["interface", *["efa-only"] * 16],
        "gpt-oss-h100": ["interface", *["efa-only"] * 32],
        "gpt-oss-h100-small": ["interface", "efa-only"],
    }


def assert_taken(life: Life) -> None:
    """Every request has a published shape and published enums and breaks no rule; nothing is left."""
    assert len(life.up) > 100
    for request in life.requests:
        assert (list(faults(request)), request["error"]) == ([], None), request
    assert [request for request in life.up_again if is_write(request["operation"])] == []
    made, gone = made_and_gone(life)
    assert made == gone


def denied(life: Life, settings: dict[str, Any]) -> set[str]:
    """What of its requests the policies of the stack's deployer do not allow."""
    policies, cluster = made(settings), settings["cluster"]["name"]
    wanted = [each for request in life.requests for each in asked(request, cluster)]
    assert len({each.action for each in wanted}) > 60
    return {f"{each.action} on {each.resource}" for each in wanted if not allowed(policies, each)}


def made_and_gone(life: Life) -> tuple[Counter[str], Counter[str]]:
    """How many things of each kind were created, and how many deleted."""
    made, gone = Counter[str](), Counter[str]()
    for request in life.requests:
        operation: str = request["operation"]
        words = _WORDS.findall(_SYNONYMS.get(operation, operation))
        kind = "".join(words[1:]).removesuffix("s")
        made[kind] += words[0] == "Create"
        gone[kind] += words[0] == "Delete"
    return made, gone


def faults(request: Request) -> Iterator[str]:
    """What botocore's service model says against a request."""
    model = SESSION.get_service_model(request["service"]).operation_model(request["operation"])
    shape = model.input_shape
    if shape is None:
        return
    report = ParamValidator().validate(request["parameters"], shape)
    if report.has_errors():
        yield report.generate_report()
    for path, value, _ in wrong_enum_values(shape, request["parameters"], ""):
        yield f"{path}: {value}"


def all_of(requests: list[Request], operation: str) -> list[dict[str, Any]]:
    """The parameters of each request to this operation."""
    return [request["parameters"] for request in requests if request["operation"] == operation]
