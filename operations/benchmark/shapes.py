"""Token counts to measure with, and the loads that come of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from operations.errors import CommandError
from recipes.benchmark import Benchmark, Load
from recipes.model import Recipe
from sizing.points import Shape

_FEWEST_REQUESTS = 20
"""Of a load: percentiles of fewer say nothing."""
_STEP = 4
"""Between two concurrencies of a sweep."""


PUBLISHED_SHAPES: Mapping[Shape, int] = MappingProxyType(
    {Shape(128, 1000): 3600, Shape(8192, 1024): 1536, Shape(32000, 256): 256, Shape(1000, 2000): 2048}
)
"""Token counts that the model is published with (docs/benchmark-files.md names the sources) -> how many
requests were open at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a person typed after `dynamo-stack bench`; None, False or empty where nothing was typed."""

    stack: str | None = None
    url: str | None = None
    recipe: str | None = None
    from_here: bool = False
    model: str | None = None
    gpus: tuple[int | None, str | None] = (None, None)
    """GPUs behind an address and their name, such as GB200."""
    mock: bool = False
    tokenizer: str | None = None
    aiperf: str | None = None
    seconds: int | None = None
    """The longest time of a load; else the recipe's."""
    shapes: tuple[Shape, ...] = ()
    """Else the recipe's own, or all."""
    every_shape: bool = False
    """All published ones that the engines take."""
    sweep: bool = False
    """Several concurrencies, from one request up."""
    concurrency: int | None = None
    """The highest; else the shape's or the recipe's."""
    requests: int | None = None
    """Of each load; else in proportion to its concurrency."""


def loads_of_recipe(wanted: Wanted, recipe: Recipe) -> tuple[Load, ...]:
    """Return the loads, in the order in which they are sent.

    Raises:
        CommandError: the engines refuse a shape that was named.

    """
    own = Shape(recipe.traffic.input_tokens, recipe.traffic.output_tokens)
    if wanted.every_shape:
        shapes = [
            shape for shape in dict.fromkeys((own, *PUBLISHED_SHAPES)) if _problem(recipe, shape) is None
        ]
    else:
        shapes = list(dict.fromkeys(wanted.shapes or (own,)))
    problems = [text for shape in shapes if (text := _problem(recipe, shape))]
    if problems:
        lines = "\n".join(f"  {text}" for text in problems)
        raise CommandError(f"the engines of recipe {recipe.name} refuse what is to be measured\n{lines}")
    highest = {shape: wanted.concurrency or _highest(shape, own, recipe) for shape in shapes}
    return tuple(_loads(wanted, recipe.benchmark, highest))


def loads_of_address(wanted: Wanted, benchmark: Benchmark) -> tuple[Load, ...]:
    """Return the loads for an address behind which nobody knows what is, and so not what it takes."""
    shapes = PUBLISHED_SHAPES if wanted.every_shape else dict.fromkeys(wanted.shapes)
    return tuple(_loads(wanted, benchmark, dict.fromkeys(shapes, wanted.concurrency or 1)))


def advice(wanted: Wanted, recipe: Recipe) -> Iterator[str]:
    """Yield why published shapes are not among the loads of a run of all, and what a typed load measures."""
    if wanted.every_shape:
        problems = (_problem(recipe, shape) for shape in PUBLISHED_SHAPES)
        yield from (f"left out: {text}" for text in problems if text)
    if wanted.concurrency is not None and wanted.concurrency > recipe.running_requests:
        yield (
            f"--concurrency {wanted.concurrency}: the engines run {recipe.running_requests} requests at once "
            "at most; the others wait, and the time to the first token measures the queue"
        )


def sweep_steps(highest: int) -> tuple[int, ...]:
    """Return the concurrencies of a sweep: from one request in steps of four, and the highest."""
    steps = [1]
    while steps[-1] * _STEP < highest:
        steps.append(steps[-1] * _STEP)
    return tuple(dict.fromkeys((*steps, highest)))


def _problem(recipe: Recipe, shape: Shape) -> str | None:
    """Return why the engines of the recipe refuse a shape; None where they take it."""
    if shape.input_tokens > recipe.longest_prompt:
        return f"{shape}: a prompt may have {recipe.longest_prompt:,} tokens at most"
    if shape.input_tokens + shape.output_tokens > recipe.longest_sequence:
        return f"{shape}: a prompt and its answer may have {recipe.longest_sequence:,} tokens at most"
    return None


def _highest(shape: Shape, own: Shape, recipe: Recipe) -> int:
    published = None if shape == own else PUBLISHED_SHAPES.get(shape)
    return min(published or recipe.benchmark_concurrency, recipe.running_requests)


def _loads(wanted: Wanted, benchmark: Benchmark, highest: dict[Shape, int]) -> Iterator[Load]:
    for shape, most in highest.items():
        for concurrency in sweep_steps(most) if wanted.sweep else (most,):
            scaled = concurrency * benchmark.requests_per_concurrency
            # AIPerf wants at least one request for each that is open.
            requests = max(wanted.requests, concurrency) if wanted.requests else max(scaled, _FEWEST_REQUESTS)
            yield benchmark.load(shape.input_tokens, shape.output_tokens, concurrency, requests)
