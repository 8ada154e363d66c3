"""The numbers that the guide "which recipe" computes, against the recipe and the hardware."""

from pathlib import Path

import pytest

from hardware import ACCELERATORS, INSTANCE_TYPES
from hardware.kv_transport import (
    NVLINK_GBIT,
    RDMA_GBIT,
    TCP_FLOW_GBIT,
    TCP_GBIT,
    TCP_GIGABYTES_PER_SECOND,
    requests_per_second,
    transfer_seconds,
)
from recipes.fitting import fitted
from recipes.load import load_recipe, recipe_names
from sizing.choose import Workload, choose
from sizing.of_recipe import measured
from sizing.points import Point, Shape, published_points

GUIDE = (Path(__file__).parents[2] / "docs" / "which-recipe.md").read_text(encoding="utf-8")
RECIPE = load_recipe("gpt-oss-120b/trtllm-disagg")
PROMPT_BYTES = RECIPE.kv_bytes_per_token * RECIPE.traffic.input_tokens


@pytest.mark.parametrize(
    ("gbit", "milliseconds", "prompts"),
    [
        (NVLINK_GBIT, "0.34", "2980"),
        (RDMA_GBIT, "6.0", "166"),
        (INSTANCE_TYPES["p6-b200.48xlarge"].network.ip_gbit_per_second, "12", "82.8"),
        (TCP_GBIT, "97", "10.3"),
        (TCP_GIGABYTES_PER_SECOND[0] * 8, "302", "3.3"),
        (TCP_GIGABYTES_PER_SECOND[1] * 8, "101", "9.9"),
        (TCP_FLOW_GBIT, "483", "2.1"),
    ],
)
def test_a_row_of_the_guide_follows_from_its_line_rate(gbit: float, milliseconds: str, prompts: str) -> None:
    exact = transfer_seconds(PROMPT_BYTES, gbit) * 1000
    assert exact == pytest.approx(float(milliseconds), rel=0.02)
    assert requests_per_second(PROMPT_BYTES, gbit) == pytest.approx(float(prompts), rel=0.02)
    assert f"| {milliseconds} ms | {prompts} |" in GUIDE


@pytest.mark.parametrize("name", recipe_names())
def test_the_guide_gives_the_longest_prompt_of_each_recipe(name: str) -> None:
    recipe = load_recipe(name)
    assert f"| `{name}` | **{recipe.longest_prompt:,}** | {recipe.longest_sequence:,} |" in GUIDE
    positions = recipe.model.shape.max_positions
    assert f"| what the model takes | {positions - 1:,} tokens | {positions:,} |" in GUIDE


def test_the_guides_measured_table_is_what_the_points_say() -> None:
    lines = GUIDE.split("## What was measured")[1].split("\n\n")[2].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert {row[0] for row in rows} == {"B200", "GB200", "H200", "H100"}
    for gpu, within, *row in rows:
        workload = Workload(
            Shape(8192, 1024), gpu=gpu, tpot_ms=float(within.removesuffix(" ms")), ttft_ms=1000
        )
        best = choose(workload, published_points()).options[0].point
        assert row == [
            str(best.layout),
            f"{best.layout.engine} {best.version}",
            f"{best.users:g}",
            f"{best.tokens_per_second_per_gpu:,.0f}",
            f"{best.ttft_ms:,.0f} ms",
            f"{best.tpot_ms:.1f} ms",
        ]


@pytest.mark.parametrize("name", [name for name in recipe_names() if name.startswith("gpt-oss-120b/")])
def test_the_guide_says_what_was_measured_of_each_recipe_s_own_layout(name: str) -> None:
    recipe = load_recipe(name)
    said: list[str] = []
    for gpu in ("GB200", "B200", "H200", "H100"):
        family = ACCELERATORS[gpu].architecture_family
        if family in recipe.quantization.architecture_families:
            point = measured(fitted(recipe, family), gpu)
            said += [] if point is None else [f"{gpu}: {_figures(point)}"]
    [row] = [line for line in GUIDE.splitlines() if line.startswith(f"| `{name}` | **")]
    assert row.endswith(f" | {'; '.join(said) or 'nobody'} |")


def _figures(point: Point) -> str:
    rate, users = f"{point.tokens_per_second_per_gpu:,.0f}", f"{point.users:g}"
    return f"{rate} at {point.tpot_ms:.0f} ms with {users} users, {point.shape}"
