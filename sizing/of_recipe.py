"""What was measured of the layout that a recipe makes."""

import math
from collections.abc import Collection

from recipes.model import Recipe
from sizing.points import Layout, Point, Shape, published_points


def layout_of(recipe: Recipe) -> Layout:
    """Return the workers that answer one request, as the measured points name them."""
    decode = next((each for each in recipe.workers if each.role != "prefill"), recipe.workers[0])
    prefill = [each for each in recipe.workers if each.role == "prefill"]
    options = decode.options.model_dump()
    # Two prefill and two decode workers are the layout of one each, twice.
    copies = math.gcd(decode.workers, sum(each.workers for each in prefill))
    return Layout(
        engine=recipe.framework,
        prefill_workers=sum(each.workers for each in prefill) // copies,
        prefill_tensor_parallel=prefill[0].gpus if prefill else 0,
        workers=decode.workers // copies if prefill else 1,
        tensor_parallel=decode.gpus,
        expert_parallel=options.get("moe_expert_parallel_size") or 1,
        attention_data_parallel=bool(options.get("enable_attention_dp")),
    )


def measured(recipe: Recipe, gpu: str) -> Point | None:
    """Return the run with most tokens a GPU of the recipe's layout, at its own lengths if there is one.

    None where nobody has measured the layout of this model on this kind of GPU, or where the source of
    those runs does not stand by them.
    """
    layout, shape = layout_of(recipe), Shape(recipe.traffic.input_tokens, recipe.traffic.output_tokens)
    return max(
        (run for run in _runs(recipe, layout) if run.gpu == gpu),
        key=lambda run: (run.shape.holds(shape), run.shape.input_tokens, run.tokens_per_second_per_gpu),
        default=None,
    )


def slowest_first_token(recipe: Recipe, gpus: Collection[str]) -> float | None:
    """Return the slowest median time to the first token that was measured of the layout, in seconds.

    Of runs at the recipe's own lengths on these kinds of GPU; None where there is none.
    """
    layout, shape = layout_of(recipe), Shape(recipe.traffic.input_tokens, recipe.traffic.output_tokens)
    times = [
        run.ttft_ms
        for run in _runs(recipe, layout)
        if run.gpu in gpus and run.shape.holds(shape) and run.ttft_ms is not None
    ]
    return max(times) / 1000 if times else None


def _runs(recipe: Recipe, layout: Layout) -> list[Point]:
    if recipe.model.shape.name != "gpt-oss-120b":
        return []
    return [
        run for run in published_points() if (run.layout, run.precedence) == (layout, 1) and run.is_trusted
    ]
