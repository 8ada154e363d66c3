"""What a person typed after `dynamo-stack bench`, checked before anything is asked or sent."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

import typer

from cli.stack_argument import refuse
from hardware import ACCELERATORS
from operations.benchmark.shapes import PUBLISHED_SHAPES, Wanted
from operations.smoke.address import parse_url
from recipes.load import recipe_names
from resource_graph.spelling import hint
from sizing.points import Shape

ALL = "all"
_SHAPE = re.compile(r"([1-9][0-9]{0,6})/([1-9][0-9]{0,6})")
_GPUS = re.compile(r"([1-9][0-9]{0,4})(?:x(.+))?")


def read_shapes(texts: Sequence[str]) -> tuple[Shape, ...]:
    """Return the shapes that were named; raises typer.BadParameter for what is none."""
    refuse("--shape", ALL in texts and len(texts) > 1, "all are all of them: leave the others out")
    return tuple(_shape(text) for text in texts if text != ALL)


def read_gpus(text: str | None) -> tuple[int | None, str | None]:
    """Return how many GPUs, and of which kind; raises typer.BadParameter for what is neither."""
    if text is None:
        return None, None
    found = _GPUS.fullmatch(text)
    if found is None:
        raise typer.BadParameter(f"{text!r} is not a number, such as 4 or 4xGB200", param_hint="--gpus")
    kind: str | None = found[2]
    if kind is not None and kind not in ACCELERATORS:
        said = f"{kind!r} is not one of {', '.join(ACCELERATORS)}{hint(kind, ACCELERATORS)}"
        raise typer.BadParameter(said, param_hint="--gpus")
    return int(found[1]), kind


def check_options(wanted: Wanted, *, records: bool) -> None:
    """Raise typer.BadParameter where options contradict each other, or say nothing."""
    concurrency, requests = wanted.concurrency, wanted.requests
    too_few = f"{requests} requests cannot keep {concurrency} open: give {concurrency} or more"
    refuse("--requests", concurrency and requests and requests < concurrency, too_few)
    if wanted.stack is None and wanted.url is None:
        raise typer.BadParameter("give one STACK, or --url URL, or both for a stack that answers there")
    contradictions = _of_stack(wanted) if wanted.url is None else _of_address(wanted, wanted.url)
    is_known = wanted.stack or (wanted.recipe and wanted.gpus[0])
    record = "goes with a STACK that a real engine serves, or with --recipe and --gpus beside --url"
    for each in (*contradictions, ("--record", records and (wanted.mock or not is_known), record)):
        refuse(*each)


_Contradictions = Sequence[tuple[str, object, str]]
"""Option, whether it was typed where it must not be, and the reason."""


def _of_address(wanted: Wanted, typed: str) -> _Contradictions:
    url = parse_url(typed)
    name = wanted.recipe
    known = recipe_names()
    missing = "is needed with --url, unless a STACK or --recipe says what is behind the address"
    unknown = f"{name!r} is not one of {', '.join(known)}{hint(name or '', known)}"
    is_unsaid = not (name or wanted.stack)
    return (
        ("--url", urlsplit(url).path, f"{url} has a path before /v1: measure behind it"),
        ("--from-here", wanted.from_here, "goes with a STACK; an address is measured from here"),
        ("--recipe", name and wanted.stack, "goes with --url alone; the stack says it"),
        ("--recipe", name and name not in known, unknown),
        ("--shape", is_unsaid and not (wanted.shapes or wanted.every_shape), missing),
        ("--concurrency", is_unsaid and not wanted.concurrency, missing),
        ("--gpus", wanted.mock and wanted.gpus[0], "a mock engine has no GPU: leave --gpus or --mock out"),
    )


def _of_stack(wanted: Wanted) -> _Contradictions:
    of_address = "goes with --url; the stack says it"
    of_here = "goes with --from-here; the Job brings its own"
    return (
        ("--recipe", wanted.recipe, of_address),
        ("--model", wanted.model, of_address),
        ("--gpus", wanted.gpus[0], of_address),
        ("--mock", wanted.mock, of_address),
        ("--tokenizer", wanted.tokenizer and not wanted.from_here, of_here),
        ("--aiperf", wanted.aiperf and not wanted.from_here, of_here),
    )


def _shape(text: str) -> Shape:
    found = _SHAPE.fullmatch(text)
    if found:
        return Shape(int(found[1]), int(found[2]))
    known = [str(shape) for shape in PUBLISHED_SHAPES]
    said = f"{text!r} is not tokens in and tokens out, such as {', '.join(known)}, nor {ALL}"
    raise typer.BadParameter(f"{said}{hint(text, [*known, ALL])}", param_hint="--shape")
