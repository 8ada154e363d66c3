"""Updates of the real operator of the 1.2 line on full nodes, against the stand-in's steps.

Each recording says which generation of each kind of worker moved first: with a surge the new one is asked for
beside the old one, without one the old one goes before, at the latest in the same look. Timing is not
compared: the recorded pods were simulated ones.
"""

import math
import re
from typing import Any

import pytest

from lab.dynamo_operator.components import is_worker, pod_metadata
from lab.dynamo_operator.conversion import V1BETA1, converted
from lab.dynamo_operator.rollout import Generation, next_step
from tests.lab.dynamo_operator.recordings import FOLDER, applied_graph

# Recording -> the graph that was changed, and whether its limits stood on the pod templates.
UPDATES = {
    "rollout-agg-a": ("agg-gb200", False),
    "rollout-agg-b": ("agg-gb200-b1", True),
    "rollout-agg-c": ("agg-gb200-b1", True),
    "rollout-agg-g": ("agg-gb200-b1", True),
    "rollout-b200-e": ("disagg-b200-b1", True),
    "rollout-b200-f": ("disagg-b200-b1", True),
}
_PART = re.compile(
    r"^ *(?P<at>[\d.]+) DynamoComponen/[a-z-]+-(?P<component>trtllm[a-z]*)-(?P<hash>[0-9a-f]{8}): "
    r"replicas=(?P<n>\d)",
    re.MULTILINE,
)

OLD_GOES_FIRST, NEW_COMES_FIRST = "old goes first", "new comes first"


def recorded_order(file: str) -> dict[str, str]:
    """What moved first, by component in lower case."""
    text = (FOLDER / "dynamo-operator-1.2" / "rollouts" / f"{file}.txt").read_text(encoding="utf-8")
    before, _, after = text.partition(" patched\n")
    old = {found["hash"] for found in _PART.finditer(before)}
    moved: dict[tuple[str, bool], float] = {}
    for found in _PART.finditer(after):
        is_old = found["hash"] in old
        if int(found["n"]) == (0 if is_old else 1):
            moved.setdefault((found["component"], is_old), float(found["at"]))
    return {
        name: OLD_GOES_FIRST if moved.get((name, True), math.inf) <= at else NEW_COMES_FIRST
        for (name, is_old), at in moved.items()
        if not is_old
    }


def workers(case: str) -> list[dict[str, Any]]:
    graph = converted(applied_graph(f"dynamo-operator-1.2/{case}"), V1BETA1)
    return [each for each in graph["spec"]["components"] if is_worker(each)]


@pytest.mark.parametrize("file", UPDATES)
def test_generations_move_in_the_recorded_order(file: str) -> None:
    case, on_pod_template = UPDATES[file]
    order = {}
    for component in workers(case):
        annotations = pod_metadata(component, "annotations")
        if on_pod_template:
            assert annotations
        step = next_step(annotations, 1, None, [Generation("old", 1, 1)])
        order[component["name"].lower()] = (
            NEW_COMES_FIRST if step.new_replicas else OLD_GOES_FIRST if not step.old_replicas["old"] else ""
        )
    assert order == recorded_order(file)


def test_limits_of_a_v1alpha1_service_alone_leave_an_update_on_a_full_node_stuck() -> None:
    (component,) = workers("agg-gb200")
    assert pod_metadata(component, "annotations") == {}
    waiting = next_step({}, 1, Generation("new", 1, available=0), [Generation("old", 1, 1)])
    assert (waiting.new_replicas, waiting.old_replicas) == (1, {"old": 1})
    last = (
        (FOLDER / "dynamo-operator-1.2" / "rollouts" / "rollout-agg-a.txt")
        .read_text(encoding="utf-8")
        .splitlines()[-1]
    )
    assert "Unschedulable" in last
