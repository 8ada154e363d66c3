"""From lengths and limits to a stack that passes its preview: the two commands of README."""

import re
from pathlib import Path

import pytest

from lab import aws_cloud, cluster
from tests.conftest import copy_project
from tests.eks.conftest import SETTINGS, describe_block
from tests.support.lab_stack import POLICY, LabStack
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.engine

ASKED = ("--input", "8192", "--output", "1024", "--tpot", "15ms", "--ttft", "1s", "--gpu", "GB200")


def test_a_stack_of_the_chosen_layout_passes_its_preview(engine: Sandbox, tmp_path: Path) -> None:
    # Another test may have given the session's lab a cluster by now.
    assert engine
    lab = Sandbox.at(tmp_path / "lab").directory
    cluster.prepare(lab, say=print)
    stack = LabStack(Sandbox.at(lab.root), copy_project(tmp_path / "project"), "mine")
    written = stack.dynamo_stack("size", *ASKED, "--to", "Pulumi.mine.yaml").stderr
    assert "by gpt-oss-120b/trtllm-disagg-one-pod" in written
    settings = stack.settings()["config"][SETTINGS]
    describe_block(lab, settings)
    aws_cloud.up(lab, settings["cluster"]["accountId"])
    try:
        # Only now does the sealed environment name the account's endpoint.
        stack = LabStack(Sandbox.at(lab.root), stack.project, "mine")
        stack.pulumi("stack", "select", "--create")
        preview = stack.pulumi("preview", *POLICY)
    finally:
        aws_cloud.down(lab)
    said = preview.stdout + preview.stderr
    assert re.search(r"\+ \d+ to create", said), said
    assert "[mandatory]" not in said, said
