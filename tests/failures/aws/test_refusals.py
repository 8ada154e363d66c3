"""What AWS refuses: its words, the request id, the setting that caused it, what to type."""

import re
from dataclasses import replace
from typing import Any

import botocore.session
import pulumi
import pytest

from failures.aws.message import (
    aws_error,
    refusal_of,
    refusals,
    refused_text,
)
from tests.failures.aws.aws_answer import GROUP, REQUEST, Answer
from tests.failures.aws.aws_answers import ANSWERS
from tests.support.runbook import pages

# Of every service, beside those of its own (https://docs.aws.amazon.com/eks/latest/APIReference/CommonErrors.html).
COMMON = {"ThrottlingException", "AccessDeniedException"}
MODELS = {"EKS": "eks", "IAM": "iam", "FSx": "fsx", "EFS": "efs"}


def said(answer: Answer) -> str:
    resource_type, name = answer.resource
    failed = failure(f"urn:x::{name}", resource_type, name, answer.text)
    text = refused_text(failed, "mine")
    assert text is not None
    return text


def failure(urn: str, resource_type: str, name: str, error: str) -> pulumi.ErrorHookArgs:
    return pulumi.ErrorHookArgs(urn, "", name, resource_type, failed_operation="create", errors=[error])


def codes(service: str) -> set[str]:
    shapes: Any = botocore.session.get_session().get_service_model(MODELS[service]).error_shapes
    return {(shape.metadata.get("error") or {}).get("code") or shape.name for shape in shapes}


def test_every_refusal_names_its_settings_keeps_what_aws_said_and_says_what_to_type(
    subtests: pytest.Subtests,
) -> None:
    for answer in ANSWERS:
        with subtests.test(f"{answer.operation} {answer.code}"):
            text = said(answer)
            first, message, *_ = text.splitlines()
            inner = re.search(r"\. (\S+) - ", answer.message)
            assert first.endswith(f": {inner[1] if inner else answer.code}")
            assert message.strip()[:60] in answer.message
            assert (f"Request id, for AWS's support: {REQUEST}" in text) == bool(answer.service)
            named = [line for line in text.splitlines() if line.startswith("Setting: ")]
            assert len(named) == bool(answer.settings)
            assert all(key in line for line in named for key in answer.settings)
            assert "What it means: " in text
            assert "pulumi up --stack mine" in text
            assert "STACK" not in text
            assert f"Runbook: docs/runbook/{answer.page}.md" in text
            assert answer.page in pages()


def test_an_answer_of_the_table_is_one_that_aws_can_give() -> None:
    given = {(answer.service, answer.code) for answer in ANSWERS}
    issues: Any = botocore.session.get_session().get_service_model("eks").shape_for("NodegroupIssueCode")
    possible = {service: codes(service) | COMMON for service in MODELS} | {"": {*issues.enum}}
    assert {each for each in given if each[0] in possible and each[1] not in possible[each[0]]} == set()


def test_every_row_of_the_table_is_tried() -> None:
    tried = [refusal_of(error) for answer in ANSWERS if (error := aws_error(answer.text))]
    assert [row.codes for row in refusals() if row not in tried] == []


def test_what_failed_after_it_was_made_is_made_anew_and_a_wait_leads_to_the_page_about_nodes() -> None:
    group = said(next(answer for answer in ANSWERS if answer.code == "NodeCreationFailure"))
    assert "`pulumi up --stack mine --replace 'urn:x::b200-nodes'`" in group
    assert "AWS made NodeGroup b200-nodes, which does not work: NodeCreationFailure" in group
    words = (
        "waiting for EKS Node Group (a:b) create: timeout while waiting for state to become 'ACTIVE' (last "
        "state: 'CREATING', timeout: 1h0m0s)"
    )
    waited = refused_text(failure("urn", *GROUP, words), "mine") or ""
    assert "gpu-nodes-not-joining.md" in waited
    assert "timeout: 1h0m0s" in waited


def test_a_code_that_nobody_knows_still_has_its_id_and_aws_own_words() -> None:
    text = said(Answer(GROUP, "EKS", "CreateNodegroup", "ClientException", "Something.", ()))
    assert f"Request id, for AWS's support: {REQUEST}" in text
    assert "  Something." in text
    assert "Setting: " not in text
    assert "What it means" not in text


def test_the_nodes_of_the_system_are_named_by_their_own_setting() -> None:
    launch = next(answer for answer in ANSWERS if "VcpuLimitExceeded" in answer.message)
    system = replace(launch, resource=(GROUP[0], "system-nodes"))
    keys = "cluster.systemNodes.nodes, cluster.systemNodes.instanceType"
    assert f"Setting: {keys} (Pulumi.mine.yaml)" in said(system)


def test_what_aws_did_not_say_is_left_to_the_provider() -> None:
    failed = failure("urn", *GROUP, "invalid value for name")
    assert refused_text(failed, "mine") is None
