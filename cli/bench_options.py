"""What a person typed after `dynamo-stack bench`, checked before anything is asked or sent."""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import typer

from hardware import ACCELERATORS
from operations.benchmark.shapes import PUBLISHED_SHAPES, Wanted
from operations.smoke.address import parse_url
from recipes.load import recipe_names
from resource_graph.spelling import hint
from sizing.points import Shape

ALL = "all"
_SHAPE = re.compile(r"([1-9][0-9]{0,6})/([1-9][0-9]{0,6})")
_GPUS = re.compile(r"([1-9][0-9]{0,4})(?:x(.+))?")


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """The words as they were typed; None or False where nothing was."""

    stack: str | None
    url: str | None
    recipe: str | None
    shapes: tuple[str, ...]
    sweep: bool
    concurrency: int | None
    requests: int | None
    from_here: bool
    model: str | None
    gpus: str | None
    mock: bool
    tokenizer: str | None
    aiperf: str | None
    time_limit: int | None
    thresholds: Path | None
    record: bool
    results: Path
    as_json: bool

    @property
    def wanted(self) -> Wanted:
        """The shapes and loads; raises typer.BadParameter for a shape that is none."""
        shapes = tuple(_shape(text) for text in self.shapes if text != ALL)
        return Wanted(shapes, ALL in self.shapes, self.sweep, self.concurrency, self.requests)

    @property
    def gpus_behind(self) -> tuple[int | None, str | None]:
        """The GPUs behind an address and their name, such as GB200; None where nobody said."""
        return (None, None) if self.gpus is None else _gpus(self.gpus)


def check_options(options: BenchOptions) -> None:
    """Raise typer.BadParameter where options contradict each other, or say nothing."""
    if options.stack is None and options.url is None:
        raise typer.BadParameter("give one STACK, or --url URL, or both for a stack that answers there")
    if options.url is not None:
        _check_address(options, parse_url(options.url))
    else:
        _check_stack(options)
    if options.record and (options.mock or (options.stack is None and not (options.recipe and options.gpus))):
        raise typer.BadParameter(
            "goes with a STACK that a real engine serves, or with --recipe and --gpus beside --url",
            param_hint="--record",
        )
    if ALL in options.shapes and len(options.shapes) > 1:
        raise typer.BadParameter("all are all of them: leave the others out", param_hint="--shape")
    concurrency, requests = options.concurrency, options.requests
    if concurrency and requests and requests < concurrency:
        raise typer.BadParameter(
            f"{requests} requests cannot keep {concurrency} open: give {concurrency} or more",
            param_hint="--requests",
        )
    # Read here, so that a mistake in them is found before a cluster is asked.
    _ = options.wanted, options.gpus_behind


def _check_address(options: BenchOptions, address: str) -> None:
    if urlsplit(address).path:
        raise typer.BadParameter(f"{address} has a path before /v1: measure behind it", param_hint="--url")
    if options.from_here:
        raise typer.BadParameter(
            "goes with a STACK; an address is measured from here", param_hint="--from-here"
        )
    _check_recipe(options)
    if options.mock and options.gpus is not None:
        raise typer.BadParameter("a mock engine has no GPU: leave --gpus or --mock out", param_hint="--gpus")


def _check_recipe(options: BenchOptions) -> None:
    name = options.recipe
    if name is not None and options.stack is not None:
        raise typer.BadParameter("goes with --url alone; the stack says it", param_hint="--recipe")
    if name is not None and name not in recipe_names():
        said = f"{name!r} is not one of {', '.join(recipe_names())}{hint(name, recipe_names())}"
        raise typer.BadParameter(said, param_hint="--recipe")
    for option, value in (("--shape", options.shapes), ("--concurrency", options.concurrency)):
        if not value and not name and not options.stack:
            raise typer.BadParameter(
                "is needed with --url, unless a STACK or --recipe says what is behind the address",
                param_hint=option,
            )


def _check_stack(options: BenchOptions) -> None:
    typed = {
        "--recipe": options.recipe,
        "--model": options.model,
        "--gpus": options.gpus,
        "--mock": options.mock,
    }
    for name, value in typed.items():
        if value:
            raise typer.BadParameter("goes with --url; the stack says it", param_hint=name)
    for name, value in {"--tokenizer": options.tokenizer, "--aiperf": options.aiperf}.items():
        if value and not options.from_here:
            raise typer.BadParameter("goes with --from-here; the Job brings its own", param_hint=name)


def _shape(text: str) -> Shape:
    found = _SHAPE.fullmatch(text)
    if found:
        return Shape(int(found[1]), int(found[2]))
    known = [str(shape) for shape in PUBLISHED_SHAPES]
    said = f"{text!r} is not tokens in and tokens out, such as {', '.join(known)}, nor {ALL}"
    raise typer.BadParameter(f"{said}{hint(text, [*known, ALL])}", param_hint="--shape")


def _gpus(text: str) -> tuple[int, str | None]:
    found = _GPUS.fullmatch(text)
    if found is None:
        raise typer.BadParameter(f"{text!r} is not a number, such as 4 or 4xGB200", param_hint="--gpus")
    kind: str | None = found[2]
    if kind is not None and kind not in ACCELERATORS:
        said = f"{kind!r} is not one of {', '.join(ACCELERATORS)}{hint(kind, ACCELERATORS)}"
        raise typer.BadParameter(said, param_hint="--gpus")
    return int(found[1]), kind
