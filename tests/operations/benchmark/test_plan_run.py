"""What is measured: the loads that come of what a person asks for, and what must be there before."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from components.cluster_answer import Answer, Said
from operations.benchmark.plan_run import run_of_stack, served_model, serving_engine
from operations.benchmark.shapes import (
    Wanted,
    advice,
    loads_of_recipe,
)
from operations.errors import CommandError
from recipes.benchmark import Load
from recipes.load import load_recipe
from sizing.points import Shape
from tests.operations.fake_cluster import FakeCluster
from tests.recipes.listing_frontend import EMPTY, LISTED, MODEL, listing_frontend
from tests.support.clusters import SILENT
from tests.support.shipped_stacks import shipped_stack

AGGREGATED, DISAGGREGATED = load_recipe("gpt-oss-120b/trtllm-agg"), load_recipe("gpt-oss-120b/trtllm-disagg")
PLAIN = Wanted()


def _seen(loads: tuple[Load, ...]) -> list[tuple[str, int, int]]:
    return [(load.shape, load.concurrency, load.requests) for load in loads]


def test_another_shape_is_sent_as_hard_as_published_and_never_harder_than_the_engines_run() -> None:
    long = replace(PLAIN, shapes=(Shape(32000, 256),))
    assert _seen(loads_of_recipe(long, AGGREGATED)) == [("32000/256", 256, 2560)]
    short = replace(PLAIN, shapes=(Shape(128, 1000),))
    assert _seen(loads_of_recipe(short, DISAGGREGATED)) == [("128/1000", 1280, 12800)]


def test_a_published_load_that_is_typed_is_sent_and_said_to_queue() -> None:
    wanted = replace(PLAIN, shapes=(Shape(128, 1000),), concurrency=3600)
    assert _seen(loads_of_recipe(wanted, AGGREGATED)) == [("128/1000", 3600, 36000)]
    assert [*advice(wanted, AGGREGATED)] == [
        "--concurrency 3600: the engines run 3200 requests at once at most; the others wait, "
        "and the time to the first token measures the queue"
    ]
    assert [*advice(replace(wanted, concurrency=3200), AGGREGATED)] == []


@pytest.mark.parametrize(
    ("name", "accelerator", "gpus", "open_requests"),
    [
        # A prefill worker of one GPU and a decode worker of four, on trays of four.
        ("disagg-gb200-two-trays", "GB200", 5, 1280),
        # Eight workers of one GPU, 512 requests each.
        ("agg-b200", "B200", 8, 4096),
    ],
)
def test_a_stack_is_measured_with_the_requests_that_all_replicas_run_over_the_gpus_that_they_use(
    name: str, accelerator: str, gpus: int, open_requests: int
) -> None:
    stack = shipped_stack(name)
    run = run_of_stack(stack, "real", PLAIN)
    begun = run.begun
    assert begun.gpus == gpus == sum(pool.used_gpus for pool in stack.pools)
    assert begun.accelerators == (accelerator,)
    assert [load.concurrency for load in run.loads] == [open_requests]
    recipe = stack.serving.placed.recipe
    assert (begun.target, begun.model, begun.recipe) == (name, "openai/gpt-oss-120b", recipe.name)
    assert begun.runtime == f"{recipe.runtime.image}:{recipe.runtime.version}"


READY = [{"type": "Ready", "status": "True"}]
TWO = json.dumps({"data": [{"id": "a/one"}, {"id": "a/two"}]}).encode()


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    return FakeCluster(tmp_path).answer_in(monkeypatch)


def _pod(name: str, phase: str = "Running", conditions: Any = READY) -> dict[str, Any]:
    return {
        "metadata": {"name": name},
        "status": {"phase": phase, "conditions": conditions},
    }


@pytest.mark.parametrize(
    ("pods", "said"),
    [
        ([_pod("old", phase="Failed")], "has no pod: there is nothing to measure\n  try: `pulumi up`"),
        (
            [_pod("frontend"), _pod("decode", conditions=[])],
            "does not serve with all of its pods\n  decode: Running, started but not ready",
        ),
        (SILENT, "failed; nothing was changed\n  the API server"),
        (
            Answer(
                Said.FORBIDDEN,
                why='User "v" cannot list resource "pods" in API group "" in the namespace "n"',
            ),
            "\n  try: `kubectl --context dynamo-lab auth can-i list pods --namespace n`",
        ),
    ],
    ids=["no pod", "a part of its pods", "no answer of the cluster", "no right to list them"],
)
def test_a_graph_that_does_not_serve_is_not_measured(
    pods: list[Any] | Answer, said: str, cluster: FakeCluster
) -> None:
    cluster.objects["pods"] = pods
    with pytest.raises(CommandError) as refused:
        serving_engine(shipped_stack("dev"), cluster.commands)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("status", "body", "wanted", "said"),
    [
        pytest.param(200, LISTED, None, MODEL, id="the only one"),
        pytest.param(200, TWO, "a/two", "a/two", id="the one that was asked for"),
        pytest.param(200, TWO, None, "URL serves a/one, a/two\n  try: --model NAME", id="two"),
        pytest.param(
            200, EMPTY, None, "URL serves no model\n  try: wait until its workers have registered", id="none"
        ),
        pytest.param(
            200,
            LISTED,
            "openai/gpt-oss-20b",
            f"URL does not serve openai/gpt-oss-20b: it serves {MODEL}\n  try: --model {MODEL}",
            id="another",
        ),
        pytest.param(404, b"", None, "URL/v1/models: HTTP 404: with nothing in it", id="something else"),
        pytest.param(200, b"<html>", None, "URL/v1/models: HTTP 200, but no JSON: '<html>'", id="a page"),
    ],
)
def test_the_model_at_an_address_is_found_or_what_is_served_is_named(
    status: int, body: bytes, wanted: str | None, said: str
) -> None:
    with listing_frontend((status, body)) as models:
        url = models.removesuffix("/v1/models")
        try:
            found = served_model(url, wanted)
        except CommandError as error:
            found = str(error).replace(url, "URL")
    assert found == said
