"""`check --sarif`: what code scanning shows, and beside which line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cli.sarif.log import MOST_RESULTS, log_text
from cli.sarif.places import Place
from cli.sarif.report_run import Locations, report_run
from resource_graph import Resource
from rules.catalogue import RULES
from rules.model import BrokenRule, Finding, Report, Severity, failed
from tests.cli.checked import EIGHT_GPUS, findings, written
from tests.cli.command import ROOT, Answer, Command, write_stack
from tests.cli.sarif.logs import place, runs_of
from tests.rules.judging import GPUS, mutated
from tests.support.dev_settings import dev_settings

if TYPE_CHECKING:
    from pathlib import Path

MANDATORY = next(rule for rule in RULES if rule.severity is Severity.MANDATORY)
ADVISORY = next(rule for rule in RULES if rule.severity is Severity.ADVISORY)
PROVEN = "kv-transport-proven"


def run_of(file: Path) -> dict[str, Any]:
    """The one run of a log, which has to be valid."""
    [run] = runs_of(file.read_text(encoding="utf-8"))
    return run


def logged(report: Report) -> dict[str, Any]:
    locations = Locations(lambda _: Place("a.yaml", 1), lambda _: None)
    [run] = runs_of(log_text([report_run(report, RULES, category="x", locations=locations)]))
    return run


@pytest.fixture
def checked(command: Command, tmp_path: Path) -> Any:
    """`check dev --sarif` of a stack with these settings: what was printed, the run, and the file's lines."""

    def check(settings: dict[str, Any]) -> tuple[Answer, dict[str, Any], list[str]]:
        file = write_stack(tmp_path, settings)
        target = tmp_path / "out.sarif"
        answer = command("check", "dev", "--sarif", target, folder=tmp_path)
        return answer, run_of(target), file.read_text().splitlines()

    return check


def test_a_finding_of_a_manifest_is_an_error_at_its_own_line(command: Command, tmp_path: Path) -> None:
    file, target = written(tmp_path, mutated(EIGHT_GPUS)), tmp_path / "out.sarif"
    answer = command("check", "--json", "--file", file, "--sarif", target, folder=tmp_path)
    (found,) = findings(answer, GPUS)
    [result] = [each for each in run_of(target)["results"] if each["ruleId"] == GPUS]
    assert answer.code == 1
    assert place(result) == ("deploy.yaml", found["line"])
    assert result["level"] == "error"
    assert found["message"] in result["message"]["text"]


def test_a_path_begins_at_the_root_of_the_checkout(command: Command, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "a folder"
    folder.mkdir()
    written(folder, mutated(EIGHT_GPUS))
    command("check", "--file", "deploy.yaml", "--sarif", "out.sarif", folder=folder)
    [uri] = {place(result)[0] for result in run_of(folder / "out.sarif")["results"]}
    assert uri == "a%20folder/deploy.yaml"


def test_a_finding_of_a_stack_is_a_warning_at_the_key_that_has_to_change(
    command: Command, tmp_path: Path
) -> None:
    target = tmp_path / "out.sarif"
    assert command("check", "disagg-gb200", "--sarif", target).code == 0
    run = run_of(target)
    [result] = run["results"]
    uri, line = place(result)
    text = (ROOT / "Pulumi.disagg-gb200.yaml").read_text().splitlines()[line - 1]
    assert uri.endswith("Pulumi.disagg-gb200.yaml")
    assert (result["ruleId"], result["level"], text.strip()) == (PROVEN, "warning", "kvTransport: mnnvl")
    assert run["automationDetails"]["id"] == "dynamo-stack/disagg-gb200/"
    [rule] = [each for each in run["tool"]["driver"]["rules"] if each["id"] == PROVEN]
    assert "Fix: " in rule["help"]["text"]


def test_a_waived_finding_is_suppressed_where_the_waiver_stands(checked: Any) -> None:
    settings = dev_settings()
    waiver = {"rule": "pods-run-unprivileged", "reason": "an old image", "expires": "2099-12-31"}
    settings["waivers"] = [waiver | {"rule": GPUS}, waiver | {"rule": PROVEN}]
    answer, run, lines = checked(settings)
    assert answer.code == 0
    [result] = [each for each in run["results"] if each["ruleId"] == PROVEN]
    [suppression] = result["suppressions"]
    assert suppression["justification"] == "waived until 2099-12-31: an old image"
    assert lines[place({"locations": [suppression["location"]]})[1] - 1].endswith(f"rule: {PROVEN}")


def test_an_expired_waiver_is_an_error_at_its_own_line(checked: Any) -> None:
    settings = dev_settings()
    settings["waivers"] = [
        {"rule": GPUS, "reason": "still good", "expires": "2099-12-31"},
        {"rule": PROVEN, "reason": "until the new cards", "expires": "2020-01-31"},
    ]
    answer, run, lines = checked(settings)
    assert answer.code == 1
    [result] = [each for each in run["results"] if each["ruleId"] == "waiver-is-valid"]
    assert lines[place(result)[1] - 1].endswith(f"rule: {PROVEN}")
    assert result["level"] == "error"


def test_a_finding_keeps_its_fingerprint_when_lines_and_numbers_change(
    command: Command, tmp_path: Path
) -> None:
    prints: list[list[str]] = []
    for text in (mutated(EIGHT_GPUS), "\n\n" + mutated(('gpu: "4"', 'gpu: "16"'))):
        file, target = written(tmp_path, text), tmp_path / "out.sarif"
        command("check", "--file", file, "--sarif", target, folder=tmp_path)
        results = [each for each in run_of(target)["results"] if each["ruleId"] == GPUS]
        prints.append([each["partialFingerprints"]["primaryLocationLineHash"] for each in results])
    assert prints[0] == prints[1]
    assert prints[0]


def test_of_too_many_findings_the_mandatory_ones_are_kept_and_the_rest_is_counted() -> None:
    thing = Resource(urn="thing", type="a:b:Thing", name="thing", inputs={})
    found = [
        Finding(rule, failed(thing, str(number), "is wrong"))
        for rule, count in ((ADVISORY, MOST_RESULTS), (MANDATORY, 3))
        for number in range(count)
    ]
    run = logged(Report(tuple(found), (), ()))
    levels = [result["level"] for result in run["results"]]
    assert levels == ["error"] * 3 + ["warning"] * (MOST_RESULTS - 3)
    [notification] = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"].startswith("3 more findings are left out")


def test_two_findings_of_one_part_are_two_alerts() -> None:
    thing = Resource(urn="thing", type="a:b:Thing", name="thing", inputs={})
    found = (Finding(MANDATORY, failed(thing, "part", text)) for text in ("is wrong", "is wrong too"))
    results = logged(Report(tuple(found), (), ()))["results"]
    assert len({each["partialFingerprints"]["primaryLocationLineHash"] for each in results}) == 2


def test_a_rule_that_is_broken_is_no_pass() -> None:
    run = logged(Report((), (BrokenRule(MANDATORY, ValueError("oops")),), ()))
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"] is False
    assert MANDATORY.id in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_a_file_that_cannot_be_written_is_named(command: Command, tmp_path: Path) -> None:
    answer = command("check", "dev", "--sarif", tmp_path / "no" / "such" / "folder")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == f"{tmp_path / 'no' / 'such' / 'folder'}: No such file or directory\n"
