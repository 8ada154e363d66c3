"""`dynamo-stack drift`: what somebody changed in the cluster behind the stack's back."""

import typer

from cli.exit_codes import FAILED
from cli.output import make_console, print_line, print_result, print_sections, print_table
from cli.stack_argument import AsJson, StackArgument
from operations.drift.detect import find_drift
from operations.drift.report import DriftReport, columns


def drift(stack: StackArgument, *, as_json: AsJson = False) -> None:
    """Print what differs; exit 1 if anything does."""
    report = find_drift(stack)
    print_result("drift", report, _print, as_json=as_json)
    if report.changes:
        raise typer.Exit(FAILED)


def _print(report: DriftReport) -> None:
    console = make_console()
    print_line(console, report.headline())
    if report.changes:
        print_line(console)
        headers = ("OBJECT", "FIELD", "EXPECTED", "FOUND", "CHANGED BY", "`pulumi up --refresh`")
        print_table(console, headers, map(columns, report.changes))
    print_line(console)
    print_sections(console, report.advice())
