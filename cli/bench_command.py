"""The options of `dynamo-stack bench`, as typer reads them."""

# ruff: noqa: PLC0415
# What the command needs is imported when it runs.

from pathlib import Path
from typing import Annotated

import typer

from cli.stack_argument import OptionalStackArgument

_RESULTS = Path(".bench/runs")
_SHAPES = "Tokens in/out: 128/1000, 8192/1024, 32000/256, 1000/2000, any other, or all. May be repeated."


def bench_command(
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
    """Measure what is served, with AIPerf: throughput, time to the first token and between tokens."""
    from cli.bench import bench
    from cli.bench_options import BenchOptions

    bench(
        BenchOptions(
            stack=stack,
            url=url,
            recipe=recipe,
            shapes=tuple(shape or ()),
            sweep=sweep,
            concurrency=concurrency,
            requests=requests,
            from_here=from_here,
            model=model,
            gpus=gpus,
            mock=mock,
            tokenizer=tokenizer,
            aiperf=aiperf,
            time_limit=time_limit,
            thresholds=thresholds,
            record=record,
            results=results,
            as_json=as_json,
        )
    )
