"""The pack as the engine starts it: a process of its own that is spoken to over gRPC."""

import dataclasses
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import analyzer_pb2, analyzer_pb2_grpc

from policy.wording import source_url
from resource_graph import ResourceGraph
from resource_graph.graph import POLICY_HOST_LACKS
from rules.catalogue import RULES, rules_on
from rules.model import Finding
from tests.policy.analyzer import engine_requests
from tests.rules.case import judge_graph
from tests.rules.judging import FITS, GPUS, TODAY, in_program, mutated
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import shipped_stack

OWN = {"resource-inputs", "advice", "undecided", "waived", "not-evaluated"}
PACK = Path(__file__).parents[2] / "policy"
START_DEADLINE_SECONDS = 60
CALL_DEADLINE_SECONDS = 30

Violation = tuple[str, str, str]
"""Policy, URN, level."""


@contextmanager
def running_pack(folder: Path) -> Iterator[analyzer_pb2_grpc.AnalyzerStub]:
    """Start the pack from a folder, which is also on its import path as a foreign program's would be."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "pulumi.policy", "127.0.0.1:1", str(PACK)],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        with grpc.insecure_channel(f"127.0.0.1:{_port(process)}") as channel:
            yield analyzer_pb2_grpc.AnalyzerStub(channel)
    finally:
        process.kill()
        process.communicate()


def _port(process: subprocess.Popen[bytes]) -> int:
    assert process.stdout is not None
    assert process.stderr is not None
    deadline = time.monotonic() + START_DEADLINE_SECONDS
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([process.stdout], [], [], max(0, deadline - time.monotonic()))
        assert ready, "the pack named no port in time"
        read = os.read(process.stdout.fileno(), 64)
        assert read, process.stderr.read().decode()
        line += read
    return int(line)


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[analyzer_pb2_grpc.AnalyzerStub]:
    folder = tmp_path_factory.mktemp("foreign-program")
    for name in ("rules", "resource_graph", "policy"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(
            "raise ImportError('the foreign program has its own package')\n"
        )
    with running_pack(folder) as stub:
        yield stub


def violations(pack: analyzer_pb2_grpc.AnalyzerStub, graph: ResourceGraph) -> set[Violation]:
    return {
        (item.policyName, item.urn, analyzer_pb2.EnforcementLevel.Name(item.enforcementLevel))
        for item in analyzed(pack, graph).diagnostics
    }


def analyzed(pack: analyzer_pb2_grpc.AnalyzerStub, graph: ResourceGraph) -> analyzer_pb2.AnalyzeResponse:
    resources, stack = engine_requests(graph)
    for request in resources:
        assert not pack.Analyze(request, timeout=CALL_DEADLINE_SECONDS).diagnostics
    return pack.AnalyzeStack(stack, timeout=CALL_DEADLINE_SECONDS)


def waiver(expires: str) -> dict[str, str]:
    return {"rule": GPUS, "reason": "a test of half a node", "expires": expires}


def expected(graph: ResourceGraph) -> set[Violation]:
    report = judge_graph(ResourceGraph(graph, POLICY_HOST_LACKS))
    left_out = {("not-evaluated", "", "ADVISORY")} if report.not_evaluated else set[Violation]()
    return left_out | {(_policy(finding), finding.urn, _level(finding)) for finding in report.findings}


def _policy(finding: Finding) -> str:
    if finding.status != "failed":
        return finding.status
    return finding.rule.id if finding.severity is finding.rule.severity else "advice"


def _level(finding: Finding) -> str:
    return finding.severity.name if finding.status == "failed" else "ADVISORY"


def test_the_pack_starts_beside_a_foreign_package_of_its_name_and_tells_all_about_every_rule(
    pack: analyzer_pb2_grpc.AnalyzerStub,
) -> None:
    info = pack.GetAnalyzerInfo(empty_pb2.Empty(), timeout=CALL_DEADLINE_SECONDS)
    policies = {policy.name: policy for policy in info.policies}
    assert info.name == "dynamo-stack"
    assert set(policies) == OWN | {rule.id for rule in rules_on(TODAY)}
    for rule in RULES:
        policy = policies[rule.id]
        level = analyzer_pb2.EnforcementLevel.Name(policy.enforcementLevel)
        assert level.lower() == rule.severity.value
        assert (policy.displayName, policy.description) == (rule.title, rule.reason)
        assert (policy.remediation_steps, policy.url) == (rule.fix, source_url(rule) or "")
        assert policy.severity != analyzer_pb2.POLICY_SEVERITY_UNSPECIFIED
        assert "dynamo" in policy.tags


@pytest.mark.parametrize(
    ("source", "url"),
    [
        ("https://kubernetes.io/docs/a/, and more", "https://kubernetes.io/docs/a/"),
        ("read in https://github.com/a/b/blob/main/c.py.", "https://github.com/a/b/blob/main/c.py"),
        ("ai-dynamo 1.2.1 dynamo/trtllm/workers/llm_worker.py", None),
    ],
)
def test_a_source_leads_to_its_first_address(source: str, url: str | None) -> None:
    assert source_url(dataclasses.replace(RULES[0], source=source)) == url


@pytest.mark.parametrize("stack", ["dev", "disagg-gb200-two-trays"])
def test_pack_and_check_agree_on_a_shipped_stack_and_neither_stops_it(
    pack: analyzer_pb2_grpc.AnalyzerStub, stack: str
) -> None:
    graph = recorded_stack(shipped_stack(stack))
    seen = violations(pack, graph)
    assert seen == expected(graph)
    assert {level for _, _, level in seen} <= {"ADVISORY"}


@pytest.mark.parametrize(
    ("edits", "options"),
    [
        ((('gpu: "4"', 'gpu: "8"'),), {}),
        ((), {"instance_types": ("p4d.24xlarge", "p6-b200.48xlarge")}),
        ((), {"depends": False}),
        ((), {"inputs": {"kvTransport": {"name": "tcp", "standing": "unproven"}}}),
        ((('gpu: "4"', 'gpu: "8"'),), {"inputs": {"waivers": [waiver("2999-12-31")]}}),
        ((('gpu: "4"', 'gpu: "8"'),), {"inputs": {"waivers": [waiver("2020-01-01")]}}),
    ],
    ids=[
        "gpus",
        "unknown pool",
        "no edge",
        "unproven transport",
        "waived",
        "expired waiver",
    ],
)
def test_the_pack_finds_what_check_finds(
    pack: analyzer_pb2_grpc.AnalyzerStub, edits: tuple[tuple[str, str], ...], options: dict[str, Any]
) -> None:
    graph = in_program(mutated(*edits), **options)
    assert expected(graph)
    assert violations(pack, graph) == expected(graph)


def test_without_its_inputs_the_pack_ends_the_preview_instead_of_passing_it(tmp_path: Path) -> None:
    request = analyzer_pb2.ConfigureAnalyzerRequest()
    request.policyConfig["resource-inputs"].enforcementLevel = analyzer_pb2.DISABLED
    with running_pack(tmp_path) as fresh:
        fresh.Configure(request, timeout=CALL_DEADLINE_SECONDS)
        with pytest.raises(grpc.RpcError, match="resource-inputs is disabled, so no rule sees anything"):
            analyzed(fresh, in_program(mutated()))


def test_what_is_undecided_is_said_once_a_resource_and_reason_names_its_rules_and_has_not_passed(
    pack: analyzer_pb2_grpc.AnalyzerStub,
) -> None:
    graph = in_program(mutated(), instance_types=("p4d.24xlarge", "p4d.24xlarge"))
    report = judge_graph(ResourceGraph(graph, POLICY_HOST_LACKS))
    undecided = [finding for finding in report.findings if finding.status == "undecided"]
    answer = analyzed(pack, graph)
    said = [item.message for item in answer.diagnostics if item.policyName == "undecided"]
    assert len(said) == len({(each.urn, each.observation.message) for each in undecided}) < len(undecided)
    assert [each.rule.id for each in undecided if each.rule.id not in "".join(said)] == []
    reasons = {item.policy_name: item.reason for item in answer.not_applicable}
    assert "instance type p4d.24xlarge is not one of" in reasons[FITS]
