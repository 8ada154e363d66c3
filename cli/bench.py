"""`dynamo-stack bench`: measures what is served, and writes result.json."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from cli.bench_options import ALL, check_options, read_gpus, read_shapes
from cli.bench_table import headers, row
from cli.ending_signals import EndedBySignalError
from cli.exit_codes import FAILED
from cli.output import print_json, print_table, say
from cli.stack_argument import OptionalStackArgument
from operations.benchmark.aiperf import installed_aiperf
from operations.benchmark.measured_points import MEASURED, layout_copies, points_of, thresholds_of
from operations.benchmark.plan_run import (
    endpoint_here,
    measure_here,
    measure_in_cluster,
    run_of_address,
    run_of_stack,
    served_model,
    serving_engine,
)
from operations.benchmark.progress import BenchProgress, bench_progress
from operations.benchmark.recording import RESULT_FILE, PlannedRun, Recording
from operations.benchmark.result import BenchmarkResult, Outcome
from operations.benchmark.shapes import Wanted, advice
from operations.benchmark.thresholds import Thresholds, load_thresholds, regressions, unmeasured
from operations.errors import CommandError
from operations.evidence import record as write_evidence
from operations.port_forward import PortForward
from operations.project import resolved_stack
from operations.smoke.address import parse_url
from operations.smoke.run import serving_cluster
from recipes.benchmark import AIPERF_VERSION
from recipes.model import Recipe
from sizing.points import OWN_POINTS, append_points
from stacks.errors import SettingsError
from stacks.plan.recipe_files import read_recipe
from stacks.wording import in_words

_Send = Callable[[Recording, BenchProgress], None]
_RESULTS = Path(".bench/runs")
_SHAPES = "Tokens in/out: 128/1000, 8192/1024, 32000/256, 1000/2000, any other, or all. May be repeated."


def bench(
    *,
    stack: OptionalStackArgument = None,
    url: Annotated[
        str | None,
        typer.Option("--url", metavar="URL", help="An address instead, such as http://127.0.0.1:8000."),
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option("--recipe", metavar="NAME", help="With --url: measure as this recipe is measured."),
    ] = None,
    shape: Annotated[list[str] | None, typer.Option("--shape", metavar="IN/OUT", help=_SHAPES)] = None,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="From one request at a time up to the highest concurrency.")
    ] = False,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency", metavar="N", min=1, help="Requests open at a time; of a sweep the most."
        ),
    ] = None,
    requests: Annotated[
        int | None,
        typer.Option("--requests", metavar="N", min=1, help="Of each load; else ten times its concurrency."),
    ] = None,
    from_here: Annotated[
        bool,
        typer.Option(
            "--from-here", help="AIPerf runs here, through kubectl port-forward, instead of as a Job."
        ),
    ] = False,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="With --url; else the only one served.")
    ] = None,
    gpus: Annotated[
        str | None,
        typer.Option("--gpus", metavar="N|NxKIND", help="With --url: GPUs of all workers, such as 4xGB200."),
    ] = None,
    mock: Annotated[
        bool, typer.Option("--mock", help="With --url: a mock engine answers; no figure is about a GPU.")
    ] = False,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            "--tokenizer", metavar="DIR|NAME", help="From here; else the model's, from Hugging Face."
        ),
    ] = None,
    aiperf: Annotated[
        str | None,
        typer.Option("--aiperf", metavar="PROGRAM", help="From here; else aiperf on PATH."),
    ] = None,
    time_limit: Annotated[
        int | None,
        typer.Option("--time-limit", metavar="SECONDS", min=1, help="Of each load; else the recipe's."),
    ] = None,
    thresholds: Annotated[
        Path | None,
        typer.Option(
            "--assert",
            metavar="FILE|measured",
            help="Thresholds, or the layout's measured points; exit 1 if a figure does not reach its own.",
        ),
    ] = None,
    record: Annotated[
        bool,
        typer.Option("--record", help="Append the figures to measured.local.csv, which `size` reads."),
    ] = False,
    results: Annotated[
        Path, typer.Option("--results", metavar="DIR", help="Each run makes a folder of its own in it.")
    ] = _RESULTS,
    as_json: Annotated[bool, typer.Option("--json", help="Print result.json instead of a table.")] = False,
) -> None:
    """Measure, print and keep; exit 1 where a threshold is not reached."""
    wanted = Wanted(
        shapes=read_shapes(shape or ()),
        every_shape=ALL in (shape or ()),
        stack=stack,
        url=url,
        recipe=recipe,
        from_here=from_here,
        model=model,
        gpus=read_gpus(gpus),
        mock=mock,
        tokenizer=tokenizer,
        aiperf=aiperf,
        seconds=time_limit,
        sweep=sweep,
        concurrency=concurrency,
        requests=requests,
    )
    check_options(wanted, records=record)
    by_points = str(thresholds) == MEASURED
    limits = load_thresholds(thresholds) if thresholds and not by_points else None
    run, send, behind = (_of_address if url else _of_stack)(wanted)
    if by_points:
        limits = thresholds_of(run, behind)
    if record and behind is not None and run.begun.gpus is not None:
        layout_copies(run.begun.gpus, behind)
    problems = unmeasured(limits, run.loads, run.why_not_per_gpu) if limits else []
    if problems:
        raise SettingsError({str(thresholds): problems})
    say(_beforehand(run), error=True)
    recording = Recording(results, run)
    result = _measured(run, send, recording)
    if as_json:
        print_json(result.as_json())
    else:
        _print(result, recording.folder)
    if record and behind is not None:
        _record(stack, result, behind)
    if limits is not None:
        _judge(limits, result)


def _record(stack: str | None, result: BenchmarkResult, recipe: Recipe) -> None:
    append_points(OWN_POINTS, points_of(result, recipe))
    say(f"recorded in {OWN_POINTS}, which `dynamo-stack size` reads", error=True)
    if stack is not None:
        best = max(each.output_tokens_per_second_per_gpu or 0 for each in result.measurements)
        found = f"{best:,.0f} output tokens a second and GPU at most"
        say(write_evidence(resolved_stack(stack), "bench", found, is_mock=result.is_mock), error=True)


def _of_stack(wanted: Wanted) -> tuple[PlannedRun, _Send, Recipe | None]:
    stack = resolved_stack(str(wanted.stack))
    cluster = serving_cluster(stack, ", or --url")
    recipe = stack.serving.placed.recipe
    program = installed_aiperf(wanted.aiperf or "aiperf") if wanted.from_here else None
    engine = serving_engine(stack, cluster)
    run = run_of_stack(stack, engine, wanted)
    for text in advice(wanted, recipe):
        say(text, error=True)
    if program is None:
        placed = stack.serving.placed
        return run, partial(measure_in_cluster, run, placed, cluster), recipe

    def send(recording: Recording, progress: BenchProgress) -> None:
        with PortForward(cluster, stack.serving.namespace, stack.serving.graph_name) as forward:
            url = forward.address()
            served_model(url, run.begun.model)
            endpoint = endpoint_here(run, wanted, url)
            measure_here(run, program, endpoint, recording, progress)

    return run, send, recipe


def _of_address(wanted: Wanted) -> tuple[PlannedRun, _Send, Recipe | None]:
    url = parse_url(str(wanted.url))
    named = _named_recipe(wanted)
    program = installed_aiperf(wanted.aiperf or "aiperf")
    run = run_of_address(url, served_model(url, wanted.model), wanted, named)
    for text in advice(wanted, named) if named else ():
        say(text, error=True)
    endpoint = endpoint_here(run, wanted, url)
    return run, partial(measure_here, run, program, endpoint), named


def _beforehand(run: PlannedRun) -> str:
    """Return what a run sends, how long it takes at most, and what is installed for it."""
    requests = sum(load.requests for load in run.loads)
    warmup = sum(load.warmup_requests for load in run.loads)
    loads = in_words(len(run.loads), "load")
    minutes = -(-run.seconds * len(run.loads) // 60)
    how = (
        f"a Job in the cluster sends them and installs aiperf=={AIPERF_VERSION} into its own folder first"
        if run.begun.generator == "job"
        else f"AIPerf {run.begun.aiperf} of this machine sends them, and nothing is installed"
    )
    return f"{requests:,} requests, and {warmup:,} to warm up, in {loads}: {minutes} min at most; {how}"


def _named_recipe(wanted: Wanted) -> Recipe | None:
    """Return the recipe that is behind the address: the stack's, or by its name."""
    if wanted.stack is not None:
        return resolved_stack(wanted.stack).serving.placed.recipe
    return None if wanted.recipe is None else read_recipe(wanted.recipe)


def _measured(run: PlannedRun, send: _Send, recording: Recording) -> BenchmarkResult:
    """Send the loads; what was measured before an end that nobody wanted is kept, and said."""
    try:
        with bench_progress(run.loads) as progress:
            send(recording, progress)
    except KeyboardInterrupt as interruption:
        ended = isinstance(interruption, EndedBySignalError)
        _keep(recording, "interrupted", interruption.signal.name if ended else "Ctrl-C")
        raise
    except CommandError as error:
        _keep(recording, "failed", str(error))
        raise
    result = recording.finish("complete")
    if result is None:
        raise CommandError("no load was measured")
    return result


def _keep(recording: Recording, outcome: Outcome, reason: str) -> None:
    result = recording.finish(outcome, reason)
    if result is not None:
        finished = in_words(len(result.measurements), "finished load")
        say(f"{finished}: {recording.folder / RESULT_FILE}", error=True)


def _print(result: BenchmarkResult, folder: Path) -> None:
    say(f"{result.target}: {result.model}, AIPerf {result.aiperf}, {result.started}")
    if result.note:
        say(result.note)
    say()
    print_table(headers(result), map(row, result.measurements))
    say()
    say(str(folder / RESULT_FILE))


def _judge(thresholds: Thresholds, result: BenchmarkResult) -> None:
    found = regressions(thresholds, result.measurements)
    for each in found:
        say(f"regressed: {each}", error=True)
    if found:
        raise typer.Exit(FAILED)
    say("every threshold is reached", error=True)
