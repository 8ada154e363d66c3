"""What is said of workers that share a pod."""

from __future__ import annotations

from typing import Any

from operations.smoke.graph_pods import GraphPods
from operations.smoke.run import roles_of
from tests.support.clusters import Told
from tests.support.shipped_stacks import shipped_stack

MODEL = "openai/gpt-oss-120b"
POD = "gpt-oss-disagg-8gpu-trtllmworker-0"


def _registered(name: str, model: str) -> dict[str, Any]:
    cards = {"card": {"card_json": {"display_name": model}}}
    return {"metadata": {"name": name}, "spec": {"data": {"model_cards": cards}}}


def _pods() -> GraphPods:
    """One pod of both workers, whose prefill worker has registered under another model."""
    serving = shipped_stack("disagg-b200-8gpu").serving
    status = {"conditions": [{"type": "Ready", "status": "False", "message": "unready: [prefill]"}]}
    labels = {"nvidia.com/dynamo-component": "TrtllmWorker"}
    containers = [{"name": "main"}, {"name": "prefill"}]
    pod = {
        "metadata": {"name": POD, "labels": labels},
        "spec": {"containers": containers},
        "status": status,
    }
    registered = [_registered(POD, MODEL), _registered(f"{POD}-prefill", "gpt-oss")]
    cluster = Told({"pods": [pod], "dynamoworkermetadatas": registered})
    return GraphPods(cluster, serving.namespace, serving.graph_name, roles_of(serving))


def test_the_pod_is_looked_at_whichever_of_its_workers_is_missing() -> None:
    for role in ("prefill", "decode"):
        assert POD in _pods().why_absent((role,)).found
    assert "TrtllmWorker" not in _pods().why_absent(("frontend",)).found


def test_a_worker_that_registers_as_the_second_container_is_heard_too() -> None:
    assert _pods().other_names(MODEL) == [f"pod {POD} has registered as gpt-oss"]
