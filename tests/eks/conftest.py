"""A stack that makes its own cluster, in an account of this test module's own."""

from pathlib import Path
from typing import Any

import yaml

from lab import aws_cloud
from lab.directory import LabDirectory
from lab.reservations import reservations_of
from tests.conftest import copy_project
from tests.support.faults.capacity_blocks import write_reservations
from tests.support.lab_stack import LabStack
from tests.support.sandbox import Sandbox
from tests.support.shipped_stacks import SETTINGS, shipped_settings

NAME = "own"


def prepared(lab: LabDirectory, folder: Path, **reservation: Any) -> LabStack:
    """The shipped B200 stack before its first `up`, and the account with its Capacity Block."""
    settings = shipped_settings("disagg-b200-tcp")
    describe_block(lab, settings, **reservation)
    aws_cloud.up(lab, settings["cluster"]["accountId"])
    # Only now does the sealed environment name the account's endpoint.
    stack = LabStack(Sandbox.at(lab.root), copy_project(folder / "project"), NAME)
    content = {"config": {"pulumi:disable-default-providers": ["*"], SETTINGS: settings}}
    (stack.project / f"Pulumi.{NAME}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    stack.pulumi("stack", "select", "--create")
    return stack


def describe_block(lab: LabDirectory, settings: dict[str, Any], **changes: Any) -> None:
    """Puts the Capacity Block of the settings into the account, as EC2 describes it."""
    (described,) = reservations_of(settings["nodePools"])
    lab.cloud.mkdir(exist_ok=True)
    write_reservations(lab, [described | changes])


def changing_requests(lab: LabDirectory) -> list[str]:
    """The operations that could have changed something in the account."""
    reading = ("Describe", "List", "Get")
    operations = [request["operation"] for request in aws_cloud.requests(lab)]
    return [operation for operation in operations if not operation.startswith(reading)]
