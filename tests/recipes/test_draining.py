"""What a worker that ends leaves its requests, out of the time that its pod has."""

import re

import pytest

from recipes.graph_manifest import graph_spec
from recipes.load import load_recipe, recipe_names
from recipes.placed import PlacedRecipe
from tests.support.graph_pods import main_of, pods_of
from tests.support.placed_recipes import AGGREGATED, in_one_pod, over, placed_recipe
from tests.support.shipped_stacks import served_stack

SECONDS = "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS"


def _seconds(placed: PlacedRecipe) -> dict[str, tuple[int, int]]:
    """Service -> the seconds of its requests and those of its pod; services without the former left out."""
    found: dict[str, tuple[int, int]] = {}
    for name, pod in pods_of(graph_spec(placed)).items():
        variables = main_of(pod)["env"]
        if SECONDS in variables:
            found[name] = (int(variables[SECONDS]), pod["spec"]["terminationGracePeriodSeconds"])
    return found


def test_an_answer_gets_more_than_the_runtimes_five_seconds() -> None:
    assert _seconds(placed_recipe(AGGREGATED)) == {"TrtllmWorker": (90, 120)}
    assert _seconds(over("tcp")) == {"TrtllmPrefillWorker": (60, 120), "TrtllmDecodeWorker": (90, 120)}


def test_a_prefill_worker_of_vllm_waits_for_no_transfers_and_its_requests_get_the_seconds() -> None:
    # dynamo.vllm 1.2.1 gives the runtime's shutdown nothing to wait for, which dynamo.trtllm does.
    assert _seconds(served_stack("vllm-disagg-h100").serving.placed) == {"VllmWorker": (90, 120)}


def test_each_worker_of_one_pod_has_the_seconds_of_its_role() -> None:
    placed = in_one_pod()
    pod = pods_of(graph_spec(placed))["TrtllmWorker"]
    texts = [word for word in main_of(pod)["args"] if SECONDS in word]
    assert [re.findall(rf"{SECONDS}=(\d+)", text) for text in texts] == [["60"], ["90"]]
    assert pod["spec"]["terminationGracePeriodSeconds"] == 120


@pytest.mark.parametrize("name", [name for name in recipe_names() if load_recipe(name).server == "dynamo"])
def test_what_is_not_answered_in_time_goes_on_at_another_worker(name: str) -> None:
    [frontend] = [service for service in load_recipe(name).services if service.role == "frontend"]
    arguments = frontend.arguments
    assert arguments[arguments.index("--migration-limit") + 1] == "3"
