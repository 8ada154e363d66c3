"""A run kept as measured points of its layout, and held against those that are known."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from operations.benchmark.recording import PlannedRun
from operations.benchmark.result import BenchmarkResult
from operations.benchmark.thresholds import AtLeast, Threshold, Thresholds
from operations.errors import CommandError
from operations.evidence import recorded_points
from recipes.benchmark import Load
from recipes.model import Recipe
from sizing.of_recipe import layout_of
from sizing.points import OWN_POINTS, Point, Shape, published_points

MEASURED = "measured"
"""As the file of --assert: the measured points of the run's own layout."""
_SPREAD = 0.039
"""Nine of ten repeated runs of one point lay within this share of each other (the source of points.csv)."""


def layout_copies(gpus: int, recipe: Recipe) -> int:
    """Return how many times the layout of the recipe stands on so many GPUs.

    Raises:
        CommandError: no whole number of times.

    """
    layout = layout_of(recipe)
    copies, rest = divmod(gpus, layout.gpus)
    if rest or not copies:
        raise CommandError(
            f"{recipe.name} ({layout}) takes {layout.gpus} GPUs or a multiple of them, not {gpus}\n"
            "  try: --gpus with those of all its workers"
        )
    return copies


def points_of(result: BenchmarkResult, recipe: Recipe) -> Iterator[Point]:
    """Yield what the run has measured, as points of one's own.

    Raises:
        CommandError: nothing of it is about one kind of GPU.

    """
    if result.is_mock or result.gpus is None or len(result.accelerators) != 1:
        reason = "a mock engine answered" if result.is_mock else "nobody said how many GPUs of which kind"
        raise CommandError(f"nothing is recorded: {reason}")
    layout, copies = layout_of(recipe), layout_copies(result.gpus, recipe)
    for each in result.measurements:
        tokens = each.output_tokens_per_second_per_gpu
        if tokens is None or each.errors:
            continue
        yield Point(
            gpu=result.accelerators[0],
            layout=layout,
            version=f"dynamo-{recipe.runtime.version}",
            shape=Shape(*map(int, each.shape.split("/"))),
            users=each.concurrency / copies,
            tokens_per_second_per_gpu=tokens,
            ttft_ms=each.ttft_milliseconds.p50,
            tpot_ms=each.itl_milliseconds.p50,
            run=datetime.fromisoformat(result.started).strftime("%Y-%m-%dT%H:%M:%SZ"),
            source=OWN_POINTS.name,
        )


def thresholds_of(run: PlannedRun, recipe: Recipe | None) -> Thresholds:
    """Return what the loads have to reach: the measured points of the layout, but for what repeats spread.

    Raises:
        CommandError: of a load nobody has measured the layout.

    """
    gpus, accelerators = run.begun.gpus, run.begun.accelerators
    if recipe is None or gpus is None or len(accelerators) != 1:
        raise CommandError(
            "--assert measured: nobody said which layout on which GPUs is measured\n"
            "  try: give the STACK, or --recipe and --gpus beside --url"
        )
    layout, gpu = layout_of(recipe), accelerators[0]
    copies = layout_copies(gpus, recipe)
    known = [
        point
        for point in (*recorded_points(), *published_points())
        if (point.gpu, point.layout) == (gpu, layout) and point.is_trusted
    ]
    return Thresholds(
        thresholds=tuple(_threshold(load, load.concurrency / copies, known) for load in run.loads)
    )


def _threshold(load: Load, users: float, known: Iterable[Point]) -> Threshold:
    shape = Shape(load.input_tokens, load.output_tokens)
    of_shape = [point for point in known if point.shape.holds(shape)]
    found = [point for point in of_shape if point.users == users]
    if not found:
        counts = sorted({point.users for point in of_shape})
        allowed = ", ".join(f"{each:g}" for each in counts) or "none at these lengths"
        raise CommandError(
            f"--assert measured: nobody has measured this layout at {load.shape} with {users:g} users\n"
            f"  measured: {allowed}"
        )
    point = min(found, key=lambda each: each.precedence)
    # By the keys of the file, which alone the models take.
    least = AtLeast.model_validate(
        {"outputTokensPerSecondPerGpu": point.tokens_per_second_per_gpu * (1 - _SPREAD)}
    )
    entry = {"shape": load.shape, "concurrency": load.concurrency, "atLeast": least}
    return Threshold.model_validate(entry)
