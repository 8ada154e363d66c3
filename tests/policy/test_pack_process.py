"""The pack as the engine starts it: a process of its own that is spoken to over gRPC."""

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

from cli.project import recorded_stack, resolved_stack
from resource_graph import ResourceGraph
from rules.catalogue import rules_on
from tests.policy.analyzer import engine_requests
from tests.rules.judging import DECODE, FITS, GPUS, TODAY, TRANSPORT, in_program, judge, mutated

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
        for item in diagnostics(pack, graph)
    }


def diagnostics(
    pack: analyzer_pb2_grpc.AnalyzerStub, graph: ResourceGraph
) -> list[analyzer_pb2.AnalyzeDiagnostic]:
    requests = engine_requests(graph)
    for request in requests.resources:
        assert not pack.Analyze(request, timeout=CALL_DEADLINE_SECONDS).diagnostics
    return list(pack.AnalyzeStack(requests.stack, timeout=CALL_DEADLINE_SECONDS).diagnostics)


def waiver(expires: str) -> dict[str, str]:
    return {"rule": GPUS, "reason": "a test of half a node", "expires": expires}


def expected(graph: ResourceGraph) -> set[Violation]:
    return {
        (
            finding.rule.id if finding.status == "failed" else finding.status,
            finding.urn,
            finding.rule.severity.name if finding.status == "failed" else "ADVISORY",
        )
        for finding in judge(graph).findings
    }


def test_the_pack_starts_beside_a_foreign_package_of_the_same_name(
    pack: analyzer_pb2_grpc.AnalyzerStub,
) -> None:
    info = pack.GetAnalyzerInfo(empty_pb2.Empty(), timeout=CALL_DEADLINE_SECONDS)
    policies = {policy.name: policy for policy in info.policies}
    assert info.name == "dynamo-stack"
    assert set(policies) == {"resource-inputs", "undecided", "waived", *(rule.id for rule in rules_on(TODAY))}
    for rule in rules_on(TODAY):
        policy = policies[rule.id]
        assert analyzer_pb2.EnforcementLevel.Name(policy.enforcementLevel).lower() == rule.severity.value
        assert (policy.description, policy.remediation_steps) == (rule.title, rule.fix)


@pytest.mark.parametrize(
    ("stack", "found"),
    [
        ("dev", {(TRANSPORT, "ADVISORY")}),
        ("disagg-b200", {(TRANSPORT, "ADVISORY")}),
        ("disagg-gb200", {(TRANSPORT, "ADVISORY")}),
        ("agg-gb200", set[tuple[str, str]]()),
    ],
)
def test_pack_and_check_agree_on_every_shipped_stack(
    pack: analyzer_pb2_grpc.AnalyzerStub,
    monkeypatch: pytest.MonkeyPatch,
    stack: str,
    found: set[tuple[str, str]],
) -> None:
    monkeypatch.chdir(PACK.parent)
    graph = recorded_stack(resolved_stack(stack))
    assert {(rule, level) for rule, _, level in expected(graph)} == found
    assert violations(pack, graph) == expected(graph)


def test_a_sound_program_is_left_alone(pack: analyzer_pb2_grpc.AnalyzerStub) -> None:
    assert violations(pack, in_program(mutated())) == set()


@pytest.mark.parametrize(
    ("edits", "options"),
    [
        ((('gpu: "4"', 'gpu: "8"'),), {}),
        ((), {"instance_types": ("p5en.48xlarge", "p5en.48xlarge")}),
        ((), {"instance_types": ("p4d.24xlarge", "p6-b200.48xlarge")}),
        ((), {"depends": False}),
        ((), {"release": False}),
        ((("/opt/dynamo/configs/decode.yaml", "/opt/dynamo/configs/other.yaml"),), {}),
        ((), {"inputs": {"kvTransport": {"name": "tcp", "standing": "unproven"}}}),
        ((('gpu: "4"', 'gpu: "8"'),), {"inputs": {"waivers": [waiver("2999-12-31")]}}),
        ((('gpu: "4"', 'gpu: "8"'),), {"inputs": {"waivers": [waiver("2020-01-01")]}}),
    ],
    ids=[
        "gpus",
        "hopper",
        "unknown pool",
        "no edge",
        "no operator",
        "no engine file",
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


def test_a_violation_says_the_numbers_the_reason_and_the_fix(pack: analyzer_pb2_grpc.AnalyzerStub) -> None:
    (found,) = diagnostics(pack, in_program(mutated(('gpu: "4"', 'gpu: "8"'))))
    assert found.policyName == GPUS
    for text in (f"{DECODE} asks for 8 GPUs", "uses 4", "Why: ", "Fix: ", "Source: "):
        assert text in found.message


def test_each_rule_can_be_configured(pack: analyzer_pb2_grpc.AnalyzerStub) -> None:
    graph = in_program(
        mutated(('gpu: "4"', 'gpu: "8"')), instance_types=("p6e-gb200.36xlarge", "p6e-gb200.36xlarge")
    )
    assert {name for name, _, _ in violations(pack, graph)} == {GPUS, FITS}
    request = analyzer_pb2.ConfigureAnalyzerRequest()
    request.policyConfig[GPUS].enforcementLevel = analyzer_pb2.DISABLED
    request.policyConfig[FITS].enforcementLevel = analyzer_pb2.ADVISORY
    pack.Configure(request, timeout=CALL_DEADLINE_SECONDS)
    try:
        assert {(name, level) for name, _, level in violations(pack, graph)} == {(FITS, "ADVISORY")}
    finally:
        pack.Configure(analyzer_pb2.ConfigureAnalyzerRequest(), timeout=CALL_DEADLINE_SECONDS)
