"""`dynamo-stack smoke`: asks a running deployment what its clients will ask."""

from collections.abc import Callable
from os import environ

import typer

from cli.ending_signals import EndedBySignalError, ending_signals
from cli.exit_codes import FAILED, INTERRUPTED, SIGNALLED
from cli.output import make_console, print_document, print_line, print_table, say
from operations.evidence import record
from operations.project import resolved_stack
from operations.smoke.address import parse_url, published_model, read_key
from operations.smoke.report import SmokeReport
from operations.smoke.run import Address, address_of_stack, smoke_address, smoke_stack
from operations.smoke.waits import Patience


def smoke(name: str, patience: Patience, *, as_json: bool, keeps: bool) -> None:
    """Ask the frontend of a stack; exit 1 where an answer is wrong. `keeps`: for `explain`."""
    report = _run(lambda: smoke_stack(name, patience, _progress), as_json=as_json)
    if keeps:
        found = report.summary().partition(": ")[2]
        say(record(resolved_stack(name), "smoke", found, is_mock=report.is_mock), error=True)


def smoke_at(
    url: str,
    model: str | None,
    key_variable: str | None,
    patience: Patience,
    *,
    disaggregated: bool,
    as_json: bool,
) -> None:
    """Ask whatever answers at an address; exit 1 where an answer is wrong."""
    address = Address(parse_url(url), model or published_model(), disaggregated, key=_key(key_variable))
    _run(lambda: smoke_address(address, patience, _progress), as_json=as_json)


def smoke_stack_at(
    name: str, url: str, key_variable: str | None, patience: Patience, *, as_json: bool
) -> None:
    """Ask an address where a stack runs without its cluster; exit 1 where an answer is wrong."""
    address = address_of_stack(name, parse_url(url), _key(key_variable))
    _run(lambda: smoke_address(address, patience, _progress), as_json=as_json)


def _key(variable: str | None) -> str | None:
    return None if variable is None else read_key(variable, environ)


def _run(ask: Callable[[], SmokeReport], *, as_json: bool) -> SmokeReport:
    try:
        with ending_signals():
            report = ask()
    except EndedBySignalError as ended:
        say(f"ended by {ended.signal.name}; nothing was changed", error=True)
        raise typer.Exit(SIGNALLED + ended.signal) from None
    except KeyboardInterrupt:
        say("\ninterrupted; nothing was changed", error=True)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print_document("smoke", report.as_json())
    else:
        _print(report)
    if report.has_failed:
        raise typer.Exit(FAILED)
    return report


def _print(report: SmokeReport) -> None:
    console = make_console()
    print_table(console, ("RESULT", "ASKED", "SECONDS", "FOUND"), report.rows())
    print_line(console)
    # Apart from the table, whose columns would break what is to be typed.
    fixes = list(report.fixes())
    for text in (*fixes, *([""] if fixes else []), report.summary()):
        print_line(console, text)


def _progress(text: str) -> None:
    # On stderr: what a program reads stays whole.
    say(text, error=True)
