"""`dynamo-stack drift`: what somebody changed in the cluster behind the stack's back."""

from cli.exit_codes import FAILED
from cli.output import print_result, print_sections, print_table, say
from cli.stack_argument import AsJson, StackArgument
from operations.drift.detect import find_drift
from operations.drift.report import DriftReport, columns


def drift(stack: StackArgument, *, as_json: AsJson = False) -> None:
    """Print what differs; exit 1 if anything does."""
    report = find_drift(stack)
    print_result("drift", report, _print, as_json=as_json, code=FAILED if report.changes else 0)


def _print(report: DriftReport) -> None:
    say(report.headline())
    if report.changes:
        say()
        headers = ("OBJECT", "FIELD", "EXPECTED", "FOUND", "CHANGED BY", "`pulumi up --refresh`")
        print_table(headers, map(columns, report.changes))
    say()
    print_sections(report.advice())
