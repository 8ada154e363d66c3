"""Texts of violations in a preview."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from resource_graph.manifest_yaml import SettingLines
from resource_graph.urns import stack_and_project
from rules.model import Finding, Report
from rules.reading.shapes import grouped
from rules.rule import Rule

Texts = Iterator[tuple[str | None, str]]
"""URN, or None for the stack itself, and what is to be said of it."""
_ADDRESS = re.compile(r"https://[^\s,;)]+")


def source_url(rule: Rule) -> str | None:
    """The first address in the rule's source; None where it has none."""
    address = _ADDRESS.search(rule.source)
    return None if address is None else address.group().rstrip(".")


def rule_texts(rule: Rule, report: Report) -> Texts:
    """What one rule found; the host writes the reason, its policy's description, above each."""
    failed = (each for each in report.findings if each.rule is rule and each.status == "failed")
    return _failed_texts(each for each in failed if each.severity is rule.severity)


def advice_texts(report: Report) -> Texts:
    """Advice that mandatory rules give; each names its rule, which no policy does for it."""
    failed = (each for each in report.findings if each.status == "failed")
    return _failed_texts(
        (each for each in failed if each.severity is not each.rule.severity), naming_rule=True
    )


def waived_texts(report: Report) -> Texts:
    """What is waived, and until when it is accepted."""
    for finding in report.findings:
        if finding.waiver is not None:
            said = f"{finding.observation.subject} {_message(finding)}."
            yield finding.urn, f"{finding.rule.id} ({finding.waiver}): {said}"


def undecided_texts(report: Report) -> Texts:
    """One for each resource and reason: one unknown value leaves many rules undecided."""
    for urn, subjects, alike in _alike(each for each in report.findings if each.status == "undecided"):
        ids = f"Undecided: {_ids(finding.rule for finding in alike)}"
        yield urn, f"{subjects}: {alike[0].observation.message}.\n{ids}"


def not_evaluated_texts(report: Report) -> Texts:
    """Which rules the pack leaves out, and who judges them."""
    missing = sorted(set(chain.from_iterable(report.not_evaluated.values())))
    if missing:
        said = f"The engine does not tell a policy pack {' or '.join(missing)}; `dynamo-stack check` judges"
        yield None, f"{said} {_ids(report.not_evaluated)}."


def _failed_texts(findings: Iterable[Finding], *, naming_rule: bool = False) -> Texts:
    """What holds alike for several parts of a resource is said once."""
    for urn, subjects, (first, *_) in _alike(findings):
        begin = f"{first.rule.id}: " if naming_rule else ""
        fix = f"Fix: {first.rule.fix}\nSource: {first.rule.source}"
        yield urn, f"{begin}{subjects} {_message(first)}.\n{fix}"


def _message(finding: Finding) -> str:
    """The message with each setting's place behind its name, such as Pulumi.dev.yaml:12, where known.

    A component tells what was typed, but not where, for a line that moves would change the component in
    every preview.
    """
    message = finding.observation.message
    stack, project = stack_and_project(finding.urn)
    name = f"Pulumi.{stack}.yaml"
    # The engine runs the pack in the pack's own folder, which lies in that of the program (pulumi
    # sdk/go/common/resource/plugin/analyzer_plugin.go), or in that of the program.
    here = Path.cwd()
    file = next((each / name for each in (here, *here.parents) if (each / name).is_file()), None)
    if file is None or not finding.settings:
        return message
    lines = SettingLines(file.read_text(encoding="utf-8"), name, f"{project}:settings")
    for setting in finding.settings:
        if (place := lines.place_of(setting)) is not None:
            message = message.replace(setting, f"{setting}, {place}", 1)
    return message


def _alike(findings: Iterable[Finding]) -> Iterator[tuple[str, str, Sequence[Finding]]]:
    """Yield URN, subjects and findings, for all findings that say the same of one resource."""
    by_text = grouped(((each.urn, each.observation.message), each) for each in findings)
    for (urn, _), alike in by_text.items():
        yield urn, ", ".join(dict.fromkeys(each.observation.subject for each in alike)), alike


def _ids(rules: Iterable[Rule]) -> str:
    return ", ".join(dict.fromkeys(rule.id for rule in rules))
