"""`dynamo-stack smoke`: asks a running deployment what its clients will ask."""

from os import environ
from typing import Annotated

import typer

from cli.exit_codes import FAILED
from cli.output import print_answers, print_result, say
from cli.stack_argument import AsJson, OptionalStackArgument, refuse
from operations.evidence import record as write_evidence
from operations.project import resolved_stack
from operations.smoke.address import PUBLISHED_MODEL, parse_url, read_key
from operations.smoke.client import Frontend
from operations.smoke.results import SmokeReport
from operations.smoke.run import ask, smoke_stack, target_of_address, target_without_cluster


def smoke(
    stack: OptionalStackArgument = None,
    *,
    url: Annotated[
        str | None,
        typer.Option(
            "--url",
            metavar="URL",
            help="An address, such as http://localhost:8000; with STACK: where it runs by Docker Compose.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="NAME", help="With --url alone: the model to ask; else that of most recipes."
        ),
    ] = None,
    disaggregated: Annotated[
        bool,
        typer.Option("--disaggregated", help="With --url alone: prefill workers of their own are expected."),
    ] = False,
    api_key_from: Annotated[
        str | None,
        typer.Option(
            "--api-key-from",
            metavar="VARIABLE",
            help="With --url: environment variable whose value is sent as a bearer token.",
        ),
    ] = None,
    wait: Annotated[
        float, typer.Option("--wait", metavar="SECONDS", min=0, help="For model and workers to be listed.")
    ] = 60.0,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.001, help="For each answer, to its end.")
    ] = 120.0,
    record: Annotated[
        bool,
        typer.Option("--record", help="Keep for `explain`, in evidence.local.csv, that a STACK serves."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Ask the frontend of a stack, or an address; exit 1 where an answer is wrong."""
    if stack is None and url is None:
        raise typer.BadParameter("give a STACK, a --url URL, or both")
    is_in_cluster = stack is not None and url is None
    refuse("--record", record and not is_in_cluster, "goes with a STACK in its cluster")
    refuse("--api-key-from", api_key_from and url is None, "goes with --url")
    for option, value in (("--model", model), ("--disaggregated", disaggregated)):
        refuse(option, value and stack is not None, "goes with --url alone; a stack's settings say it")
    if url is None:
        report = smoke_stack(str(stack), _progress, wait=wait, timeout=timeout)
    else:
        address = parse_url(url)
        key = None if api_key_from is None else read_key(api_key_from, environ)
        target = (
            target_of_address(address, model or PUBLISHED_MODEL, is_disaggregated=disaggregated)
            if stack is None
            else target_without_cluster(stack, address)
        )
        frontend = Frontend(lambda: address, seconds=timeout, key=key)
        report = ask(target, frontend, _progress, wait=wait)
    code = FAILED if report.has_failed else 0
    print_result("smoke", report, _print, as_json=as_json, code=code)
    if record:
        found = report.summary().partition(": ")[2]
        say(write_evidence(resolved_stack(str(stack)), "smoke", found, is_mock=report.is_mock), error=True)


def _print(report: SmokeReport) -> None:
    headers = ("RESULT", "ASKED", "SECONDS", "FOUND")
    helps = ((result.asked, result.fix) for result in report.results)
    print_answers(headers, report.rows(), helps, [report.summary()])


def _progress(text: str) -> None:
    # On stderr: what a program reads stays whole.
    say(text, error=True)
