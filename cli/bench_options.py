"""What a person typed after `dynamo-stack bench`, checked before anything is asked or sent."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import typer

from cli.stack_argument import refuse
from hardware import ACCELERATORS
from operations.benchmark.shapes import PUBLISHED_SHAPES, Wanted
from operations.smoke.address import parse_url
from recipes.load import recipe_names
from resource_graph.spelling import hint
from sizing.points import Shape

_ALL = "all"
_SHAPE = re.compile(r"([1-9][0-9]{0,6})/([1-9][0-9]{0,6})")
_GPUS = re.compile(r"([1-9][0-9]{0,4})(?:x(.+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is measured, and from where; None or False where nothing was typed."""

    stack: str | None
    url: str | None
    recipe: str | None
    from_here: bool
    model: str | None
    gpus: tuple[int | None, str | None]
    """GPUs behind an address and their name, such as GB200."""
    mock: bool
    tokenizer: str | None
    aiperf: str | None
    seconds: int | None
    """The longest time of a load."""


def read_loads(
    shapes: Sequence[str], *, sweep: bool, concurrency: int | None, requests: int | None
) -> Wanted:
    """Return the shapes and loads; raises typer.BadParameter for what is none."""
    has_others = _ALL in shapes and len(shapes) > 1
    refuse("--shape", has_others, "all are all of them: leave the others out")
    too_few = f"{requests} requests cannot keep {concurrency} open: give {concurrency} or more"
    refuse("--requests", concurrency and requests and requests < concurrency, too_few)
    named = tuple(_shape(text) for text in shapes if text != _ALL)
    return Wanted(named, _ALL in shapes, sweep, concurrency, requests)


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


def check_options(target: Target, wanted: Wanted, *, records: bool) -> None:
    """Raise typer.BadParameter where options contradict each other, or say nothing."""
    if target.stack is None and target.url is None:
        raise typer.BadParameter("give one STACK, or --url URL, or both for a stack that answers there")
    contradictions = _of_stack(target) if target.url is None else _of_address(target, target.url, wanted)
    is_known = target.stack or (target.recipe and target.gpus[0])
    record = "goes with a STACK that a real engine serves, or with --recipe and --gpus beside --url"
    for each in (*contradictions, ("--record", records and (target.mock or not is_known), record)):
        refuse(*each)


_Contradictions = Sequence[tuple[str, object, str]]
"""Option, whether it was typed where it must not be, and the reason."""


def _of_address(target: Target, typed: str, wanted: Wanted) -> _Contradictions:
    url = parse_url(typed)
    name = target.recipe
    known = recipe_names()
    missing = "is needed with --url, unless a STACK or --recipe says what is behind the address"
    unknown = f"{name!r} is not one of {', '.join(known)}{hint(name or '', known)}"
    is_unsaid = not (name or target.stack)
    return (
        ("--url", urlsplit(url).path, f"{url} has a path before /v1: measure behind it"),
        ("--from-here", target.from_here, "goes with a STACK; an address is measured from here"),
        ("--recipe", name and target.stack, "goes with --url alone; the stack says it"),
        ("--recipe", name and name not in known, unknown),
        ("--shape", is_unsaid and not (wanted.shapes or wanted.every_shape), missing),
        ("--concurrency", is_unsaid and not wanted.concurrency, missing),
        ("--gpus", target.mock and target.gpus[0], "a mock engine has no GPU: leave --gpus or --mock out"),
    )


def _of_stack(target: Target) -> _Contradictions:
    of_address = "goes with --url; the stack says it"
    of_here = "goes with --from-here; the Job brings its own"
    return (
        ("--recipe", target.recipe, of_address),
        ("--model", target.model, of_address),
        ("--gpus", target.gpus[0], of_address),
        ("--mock", target.mock, of_address),
        ("--tokenizer", target.tokenizer and not target.from_here, of_here),
        ("--aiperf", target.aiperf and not target.from_here, of_here),
    )


def _shape(text: str) -> Shape:
    found = _SHAPE.fullmatch(text)
    if found:
        return Shape(int(found[1]), int(found[2]))
    known = [str(shape) for shape in PUBLISHED_SHAPES]
    said = f"{text!r} is not tokens in and tokens out, such as {', '.join(known)}, nor {_ALL}"
    raise typer.BadParameter(f"{said}{hint(text, [*known, _ALL])}", param_hint="--shape")
