"""`dynamo-stack doctor`: why a deployment does not serve, and what to type."""

import datetime as dt
from collections.abc import Iterator

import typer

from cli.exit_codes import FAILED
from cli.output import Row, labelled, make_console, print_document, print_line, print_sections, say
from operations.doctor.finding import Diagnosis, Finding
from operations.doctor.run import diagnose
from operations.doctor.target import Target, of_graph, of_stack
from operations.evidence import record
from operations.project import resolved_stack

_SHOWN_SYMPTOMS = 3
_SHOWN_LINES = 3
_LONGEST = 300


def doctor(name: str, *, as_json: bool, keeps: bool) -> None:
    """Look at the deployment of a stack; exit 1 where it is sick. `keeps`: for `explain`."""
    found = _run(of_stack(name), as_json=as_json)
    if keeps:
        said = f"{found.headline().partition(' is ')[2]}; KV path {found.kv_path.verdict}"
        say(record(resolved_stack(name), "doctor", said, is_mock=found.mock_engine), error=True)


def doctor_of_graph(context: str, namespace: str, graph: str | None, *, as_json: bool) -> None:
    """Look at a graph that others deployed; exit 1 where it is sick."""
    _run(of_graph(context, namespace, graph), as_json=as_json)


def _run(target: Target, *, as_json: bool) -> Diagnosis:
    now = dt.datetime.now(dt.UTC)
    found = diagnose(target, now)
    if as_json:
        print_document("doctor", found.as_json())
    else:
        console = make_console()
        print_line(console, _short(found.headline()))
        print_sections(console, _rows(found, now))
    if not found.healthy:
        raise typer.Exit(FAILED)
    return found


def _rows(found: Diagnosis, now: dt.datetime) -> Iterator[Row]:
    for index, cause in enumerate(found.causes):
        if index:
            yield "also", _short(cause.what)
        yield from _details(cause, now)
    symptoms = [_short(each.what) for each in found.symptoms]
    more = len(symptoms) - _SHOWN_SYMPTOMS
    yield from labelled("follows", [*symptoms[:_SHOWN_SYMPTOMS], *([f"and {more} more"] if more > 0 else [])])
    if found.kv_path.verdict != "does-not-apply":
        proof = found.kv_path
        said = f"{proof.decided or 'nobody decided'}, {proof.verdict.replace('-', ' ')}: {proof.found}"
        yield from labelled("KV path", [said, *proof.evidence])
    yield from labelled("note", found.notes if found.causes else found.notes[1:])
    yield from labelled("not seen", found.unseen)


def _details(cause: Finding, now: dt.datetime) -> Iterator[Row]:
    if cause.since:
        passed = int((now - dt.datetime.fromisoformat(cause.since)).total_seconds())
        yield "  since", f"{cause.since}, {_ago(max(passed, 0))} ago"
    seen = [each for each in cause.evidence if each not in cause.what]
    yield from labelled("  seen", map(_short, seen[:_SHOWN_LINES]))
    for label, text in (("setting", cause.setting), ("try", cause.fix), ("type", cause.command)):
        if text:
            yield f"  {label}", text
    if cause.page:
        yield "  runbook", f"docs/runbook/{cause.page}.md"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _ago(seconds: int) -> str:
    for name, length in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length} {name}"
    return f"{seconds} s"
