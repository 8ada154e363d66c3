"""AWS refuses a part of the stack: what a person reads, and that `up` goes on once it is mended."""

import os
import re
from collections.abc import Iterator

import pytest

from lab import aws_cloud, cluster
from lab.dynamo_operator import switches
from tests.eks.conftest import SETTINGS, changing_requests, describe_block, prepared
from tests.faults.conftest import ask_for
from tests.support.lab_stack import LabStack
from tests.support.runbook import commands, typed
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]


@pytest.fixture(scope="module")
def stack(engine: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    assert engine
    sandbox = Sandbox.at(tmp_path_factory.mktemp("lab"))
    lab = sandbox.directory
    try:
        cluster.up(lab, say=print, furnished=False)
        yield prepared(lab, tmp_path_factory.mktemp("refused"), AvailabilityZone="us-east-1b")
    finally:
        cluster.down(lab)


def block_is(stack: LabStack, **changes: str) -> None:
    describe_block(stack.lab.directory, stack.settings()["config"][SETTINGS], **changes)


def test_each_refusal_names_its_request_and_setting_and_up_goes_on_when_it_is_mended(stack: LabStack) -> None:
    lab = stack.lab.directory
    # The block is in another zone than the pool.
    said = stack.failing_up()
    refused = next(
        each for each in aws_cloud.requests(lab) if each["error"] and each["operation"] == "CreateNodegroup"
    )
    assert "AWS refused EKS CreateNodegroup for NodeGroup b200-nodes: InvalidRequestException" in said
    assert f"Request id, for AWS's support: {refused['requestId']}" in said
    assert re.search(r"Setting: .*nodePools\[\]\.zone.* \(Pulumi\.own\.yaml\)", said)
    assert "`dynamo-stack preflight own` says" in said
    assert "Runbook: docs/runbook/aws-refused.md" in said

    # It is where the pool is, but over: EKS makes the group, and it fails.
    block_is(stack, State="expired")
    made = changing_requests(lab)
    said = stack.failing_up()
    assert "CreateCluster" not in changing_requests(lab)[len(made) :], "it did not go on from where it was"
    assert "AWS made NodeGroup b200-nodes, which does not work: ReservationCapacityExceeded" in said
    assert re.search(r"Setting: .*nodePools\[\]\.purchase\.phase", said)
    again = re.search(r"`pulumi up --stack own --replace '([^']+)'`", said)
    assert again, said

    block_is(stack)
    (command,) = [line for line in commands("gpu-nodes-not-joining") if line.startswith("pulumi")]
    made = changing_requests(lab)
    typed(stack, command, URN=f"'{again[1]}'")
    assert [each for each in changing_requests(lab)[len(made) :] if "Nodegroup" in each] == [
        "DeleteNodegroup",
        "CreateNodegroup",
    ]
    pods = stack.lab.get("pods", "-n", "gpt-oss")["items"]
    assert {pod["spec"]["nodeName"] for pod in pods} >= {"disagg-b200-tcp-b200-0"}


def test_a_wait_in_the_cluster_that_the_stack_made_is_explained(stack: LabStack) -> None:
    never_ready = stack.lab.directory.switches / switches.GRAPH_NEVER_READY
    never_ready.touch()
    ask_for(stack, frontends=2, ready_seconds=5)
    # A person who runs `up` has no kubeconfig of this cluster.
    said = stack.failing_up(variables={"KUBECONFIG": os.devnull})
    assert "The wait for graph gpt-oss-disagg ended." in said
    assert "every pod is ready, but the operator says" in said, said
    assert "See: kubectl --context disagg-b200-tcp get" in said
    assert (
        said.count(
            "aws eks update-kubeconfig --name disagg-b200-tcp --region us-east-1 --alias disagg-b200-tcp"
        )
        == 1
    )
    never_ready.unlink()
    stack.up("--skip-preview")
