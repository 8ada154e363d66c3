"""`dynamo-stack doctor`: why a deployment does not serve, and what to type."""

import datetime as dt
from collections.abc import Iterator
from typing import Annotated

import typer

from cli.exit_codes import FAILED
from cli.output import Row, first_of, labelled, print_result, print_sections, say
from cli.stack_argument import AsJson, OptionalStackArgument, refuse
from operations.doctor.finding import Diagnosis, Finding
from operations.doctor.run import asked, diagnose
from operations.doctor.target import of_graph, of_stack
from operations.evidence import record as write_evidence
from operations.project import resolved_stack

_SHOWN_SYMPTOMS = 3
_SHOWN_LINES = 3
_LONGEST = 300


def doctor(
    stack: OptionalStackArgument = None,
    *,
    context: Annotated[
        str | None,
        typer.Option("--context", metavar="CONTEXT", help="Of a graph that others deployed: its cluster."),
    ] = None,
    namespace: Annotated[
        str | None,
        typer.Option("--namespace", "-n", metavar="NAMESPACE", help="With --context: where it is."),
    ] = None,
    graph: Annotated[
        str | None,
        typer.Option("--graph", metavar="NAME", help="With --context: which one, where there are several."),
    ] = None,
    record: Annotated[
        bool,
        typer.Option("--record", help="Keep for `explain`, in evidence.local.csv, that it serves."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Look at a deployment; exit 1 where it is sick, 2 where nobody can look."""
    of_cluster = "--context, --namespace, --graph"
    refuse(of_cluster, stack and (context or namespace or graph), "a stack's settings say its cluster")
    refuse("--record", record and stack is None, "goes with a STACK")
    if stack is not None:
        view = of_stack(stack)
    elif context and namespace:
        view = of_graph(context, namespace, graph)
    else:
        raise typer.BadParameter("give a STACK, or --context and --namespace")
    now = dt.datetime.now(dt.UTC)
    found = diagnose(view, asked(view), now)
    code = 0 if found.healthy else FAILED
    print_result("doctor", found, lambda each: _print(each, now), as_json=as_json, code=code)
    if stack is not None and record:
        said = f"{found.headline().partition(' is ')[2]}; KV path {found.kv_path.verdict}"
        say(write_evidence(resolved_stack(stack), "doctor", said, is_mock=found.mock_engine), error=True)


def _print(found: Diagnosis, now: dt.datetime) -> None:
    say(_short(found.headline()))
    print_sections(_rows(found, now))


def _rows(found: Diagnosis, now: dt.datetime) -> Iterator[Row]:
    for index, cause in enumerate(found.causes):
        if index:
            yield "also", _short(cause.what)
        yield from _details(cause, now)
    yield from labelled("follows", first_of([_short(each.what) for each in found.symptoms], _SHOWN_SYMPTOMS))
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
