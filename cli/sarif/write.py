"""Writes the SARIF log of a stack's findings, of files' findings, or of a comparison."""

from collections.abc import Sequence
from pathlib import Path

from cli.sarif.comparison_runs import comparison_runs
from cli.sarif.log import log_text
from cli.sarif.places import Place, place_in_manifest, uri_of
from cli.sarif.report_run import Locations, report_run
from comparison.stack_comparison import Comparison
from comparison.stack_lines import StackLines
from rules.model import Report, Rule
from stacks.plan.stack_plan import StackPlan
from stacks.stack_files import PREFIX, SUFFIX, stack_directory


def write_stack_findings(target: Path, stack: StackPlan, report: Report, rules: Sequence[Rule]) -> None:
    """Write the log; each finding is at a line of the stack's file."""
    file = stack_directory(Path.cwd()) / stack.source
    lines, uri = StackLines(stack, file.read_text(encoding="utf-8")), uri_of(file)
    locations = Locations(
        lambda finding: Place(uri, lines.of_finding(finding)), lambda rule: Place(uri, lines.of_waiver(rule))
    )
    _write(target, stack.name, report, rules, locations)


def write_file_findings(target: Path, names: Sequence[str], report: Report, rules: Sequence[Rule]) -> None:
    """Write the log; each finding is at its line of its own file."""
    # Runs of one commit replace each other by category: other files are another one.
    category = f"files/{names[0] if len(names) == 1 else len(names)}"
    _write(target, category, report, rules, Locations(place_in_manifest, lambda _: None))


def comparison_log(comparison: Comparison) -> str:
    """Return the log of a comparison; each finding is at a line of the newer side's file of its stack."""
    # Two revisions have their stack files where this folder's are; two folders have them in themselves.
    of_folders = comparison.base.commit is None
    folder = Path(comparison.head.label).resolve() if of_folders else stack_directory(Path.cwd())
    return log_text(comparison_runs(comparison, lambda stack: uri_of(folder / f"{PREFIX}{stack}{SUFFIX}")))


def _write(target: Path, category: str, report: Report, rules: Sequence[Rule], locations: Locations) -> None:
    run = report_run(report, rules, category=category, locations=locations)
    target.write_text(log_text([run]), encoding="utf-8")
