import dataclasses
from pathlib import Path
from typing import Any

import pytest
from pulumi.runtime.proto import analyzer_pb2
from pulumi_policy import (
    EnforcementLevel,
    Policy,
)
from pulumi_policy.policy import _PolicyAnalyzerServicer

from operations.project import resolved_stack
from policy.pack import policies
from resource_graph import Aspect, ResourceGraph
from resource_graph.recorder import record
from rules.catalogue import RULES
from rules.rule import Advice, Observation, Severity, failed, observed
from tests.cli.command import write_stack
from tests.policy.analyzer import engine_requests
from tests.resource_graph import toy_program
from tests.rules.judging import TODAY
from tests.support.dev_settings import disagg_b200_settings
from tests.support.recordings import recorded_stack

TOY = record(toy_program.program, project=toy_program.PROJECT, stack=toy_program.STACK)


def run(pack: list[Policy], graph: ResourceGraph) -> analyzer_pb2.AnalyzeResponse:
    servicer = _PolicyAnalyzerServicer("pack", "1", pack, EnforcementLevel.ADVISORY)
    resources, stack = engine_requests(graph)
    for request in resources:
        servicer.Analyze(request, None)
    return servicer.AnalyzeStack(stack, None)


def said_by(check: Any, **changes: Any) -> list[analyzer_pb2.AnalyzeDiagnostic]:
    """What a pack of one rule says of the toy."""
    rule = dataclasses.replace(RULES[0], check=check, **changes)
    return list(run(policies([rule], today=TODAY), TOY).diagnostics)


def test_a_broken_rule_ends_the_preview_whatever_its_level() -> None:
    def breaks(graph: ResourceGraph) -> list[Any]:
        raise KeyError("forgotten")

    with pytest.raises(RuntimeError, match="rule breaks is broken: KeyError"):
        said_by(breaks, id="breaks", severity=Severity.ADVISORY)


def test_rules_run_once_for_all_policies_of_a_stack_and_again_for_the_next_stack() -> None:
    judged: list[int] = []

    def counts(graph: ResourceGraph) -> list[Any]:
        judged.append(len(graph))
        return []

    pack = policies(
        [dataclasses.replace(RULES[0], id=name, check=counts) for name in ("one", "two")], today=TODAY
    )
    for runs in (1, 2):
        run(pack, TOY)
        assert judged == [len(TOY)] * 2 * runs


def test_advice_of_a_mandatory_rule_has_a_policy_that_stops_nothing() -> None:
    def advises(graph: ResourceGraph) -> list[Any]:
        return [observed(next(iter(graph)), "thing", Advice("is slow"))]

    (said,) = said_by(advises, id="both", severity=Severity.MANDATORY)
    assert (said.policyName, said.enforcementLevel) == ("advice", analyzer_pb2.ADVISORY)
    assert "both: thing is slow." in said.message


def test_what_a_rule_finds_alike_in_several_parts_is_one_violation() -> None:
    def finds(graph: ResourceGraph) -> list[Observation]:
        thing = next(iter(graph))
        return [failed(thing, name, "is large") for name in ("one", "two")] + [failed(thing, "one", "is old")]

    assert [item.message.splitlines()[1] for item in said_by(finds)] == ["one, two is large.", "one is old."]


@pytest.mark.parametrize("folder", [".", "policy"])
def test_a_violation_names_the_setting_that_it_comes_from_and_its_line_and_no_config_map(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: str
) -> None:
    settings = disagg_b200_settings()
    settings["serving"]["overrides"] = {"decode": {"tensor_parallel_size": 3}}
    lines = write_stack(tmp_path, settings).read_text().splitlines()
    line = 1 + next(index for index, each in enumerate(lines) if "tensor_parallel_size" in each)
    (tmp_path / "policy").mkdir()
    monkeypatch.chdir(tmp_path)
    graph = recorded_stack(resolved_stack("dev"))
    monkeypatch.chdir(tmp_path / folder)
    answer = run(policies(today=TODAY), graph)
    [said] = [item for item in answer.diagnostics if item.policyName == "parallelism-divides-model"]
    _, what, fix, source = said.message.splitlines()
    setting = "serving.overrides.decode.tensor_parallel_size"
    assert what == (
        f"TrtllmDecodeWorker tensor parallelism 3 ({setting}, Pulumi.dev.yaml:{line}) does not divide the "
        "64 attention heads of gpt-oss-120b."
    )
    assert fix.startswith("Fix: ")
    assert source.startswith("Source: ")


@pytest.mark.parametrize("others", [None, {"serving": {"recipe": "another"}}], ids=["no file", "another's"])
def test_a_violation_of_a_stack_without_its_file_names_the_setting_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, others: dict[str, Any] | None
) -> None:
    settings = disagg_b200_settings()
    settings["serving"]["overrides"] = {"decode": {"max_batch_size": 7000}}
    file = write_stack(tmp_path, settings)
    monkeypatch.chdir(tmp_path)
    graph = recorded_stack(resolved_stack("dev"))
    file.unlink()
    if others is not None:
        write_stack(tmp_path, others)
    answer = run(policies(today=TODAY), graph)
    [said] = [item for item in answer.diagnostics if item.policyName == "cuda-graphs-cover-batches"]
    assert "7000 (serving.overrides.decode.max_batch_size): the larger ones" in said.message


def test_a_rule_about_what_the_host_does_not_tell_is_listed_once_and_did_not_pass() -> None:
    rules = [
        dataclasses.replace(RULES[0], id=name, check=lambda _: [], reads=frozenset({Aspect.SECRETS}))
        for name in ("hides", "masks")
    ]
    answer = run(policies(rules, today=TODAY), TOY)
    (said,) = answer.diagnostics
    assert (said.policyName, said.enforcementLevel) == ("not-evaluated", analyzer_pb2.ADVISORY)
    assert said.message.endswith("which inputs are secret; `dynamo-stack check` judges hides, masks.")
    assert {item.policy_name for item in answer.not_applicable} == {"hides", "masks"}
