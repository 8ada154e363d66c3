"""Texts of violations in a preview."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from resource_graph.setting_lines import SettingLines
from resource_graph.urns import stack_and_project
from rules.model import Finding, Report
from rules.rule import Rule

Texts = Iterator[tuple[str | None, str]]
"""URN, or None for the stack itself, and what is to be said of it."""
_ADDRESS = re.compile(r"https://[^\s,;)]+")
_ISSUE = re.compile(r"([\w.-]+/[\w.-]+)#(\d+)")


def source_url(rule: Rule) -> str | None:
    """The first address in the rule's source, or that of the first issue it names; None where it has none."""
    if (address := _ADDRESS.search(rule.source)) is not None:
        return address.group().rstrip(".")
    if (issue := _ISSUE.search(rule.source)) is not None:
        # Leads to a pull request of that number too.
        return f"https://github.com/{issue[1]}/issues/{issue[2]}"
    return None


def failed_texts(findings: Iterable[Finding], *, naming_rule: bool = False) -> Texts:
    """What one rule found; the host writes the reason, its policy's description, above each.

    What holds alike for several parts of a resource is said once. `begin` stands before it, with the id of
    the rule in place of {}.
    """
    for urn, subjects, alike in _alike(findings):
        rule = alike[0].rule
        message = alike[0].message_with(places(urn, Path.cwd()))
        begin = f"{rule.id}: " if naming_rule else ""
        yield urn, f"{begin}{subjects} {message}.\nFix: {rule.fix}\nSource: {rule.source}"


def advice_texts(report: Report) -> Texts:
    """Advice that mandatory rules give; each names its rule, which no policy does for it."""
    failed = (finding for finding in report.findings if finding.status == "failed")
    advice = (finding for finding in failed if finding.severity is not finding.rule.severity)
    return failed_texts(advice, naming_rule=True)


def waived_texts(report: Report) -> Texts:
    """What is waived, and until when it is accepted."""
    for finding in report.findings:
        if finding.waiver is not None:
            message = finding.message_with(places(finding.urn, Path.cwd()))
            said = f"{finding.rule.id} ({finding.waiver}): {finding.observation.subject} {message}."
            yield finding.urn, said


def undecided_texts(report: Report) -> Texts:
    """One for each resource and reason: one unknown value leaves many rules undecided."""
    for urn, subjects, alike in _alike(each for each in report.findings if each.status == "undecided"):
        rules = _ids(finding.rule for finding in alike)
        yield urn, f"{subjects}: {alike[0].observation.message}.\nUndecided: {rules}"


def not_evaluated_texts(report: Report) -> Texts:
    """Which rules the pack leaves out, and who judges them."""
    missing = sorted({aspect.value for item in report.not_evaluated for aspect in item.missing})
    if missing:
        said = f"The engine does not tell a policy pack {' or '.join(missing)}; `dynamo-stack check` judges"
        yield None, f"{said} {_ids(item.rule for item in report.not_evaluated)}."


def places(urn: str, folder: Path) -> Callable[[str], str | None]:
    """Return what gives file and line of a setting, such as Pulumi.dev.yaml:12.

    None where there is no such file, or none that has it: a component tells what was typed, but not where,
    for a line that moves would change the component in every preview.

    Args:
        urn: of any resource of the stack.
        folder: in which the engine runs the pack: the pack's own, which lies in that of the program (pulumi
            sdk/go/common/resource/plugin/analyzer_plugin.go), or that of the program.

    """

    def place(setting: str) -> str | None:
        stack, project = stack_and_project(urn)
        name = f"Pulumi.{stack}.yaml"
        file = next((each / name for each in (folder, *folder.parents) if (each / name).is_file()), None)
        if file is None:
            return None
        lines = SettingLines(file.read_text(encoding="utf-8"), name, f"{project}:settings")
        return lines.place_of(setting)

    return place


def _alike(findings: Iterable[Finding]) -> Iterator[tuple[str, str, list[Finding]]]:
    """Yield URN, subjects and findings, for all findings that say the same of one resource."""
    grouped: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        grouped.setdefault((finding.urn, finding.observation.message), []).append(finding)
    for (urn, _), alike in grouped.items():
        yield urn, ", ".join(dict.fromkeys(each.observation.subject for each in alike)), alike


def _ids(rules: Iterable[Rule]) -> str:
    return ", ".join(dict.fromkeys(rule.id for rule in rules))
