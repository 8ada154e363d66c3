"""What is said of workers that share a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from operations.smoke.graph_pods import GraphPods
from operations.smoke.run import roles_of
from tests.support.shipped_stacks import shipped_stack

if TYPE_CHECKING:
    from components.cluster_reader import ClusterReader

MODEL = "openai/gpt-oss-120b"
POD = "gpt-oss-disagg-8gpu-trtllmworker-0"


class _Cluster:
    """A cluster with one pod of both workers, whose prefill worker has registered under another model."""

    def items(self, kind: str, *_: str) -> list[dict[str, Any]]:
        if kind == "pods":
            status = {"conditions": [{"type": "Ready", "status": "False", "message": "unready: [prefill]"}]}
            labels = {"nvidia.com/dynamo-component": "TrtllmWorker"}
            containers = [{"name": "main"}, {"name": "prefill"}]
            metadata = {"name": POD, "labels": labels}
            return [{"metadata": metadata, "spec": {"containers": containers}, "status": status}]
        if kind.startswith("dynamoworkermetadatas"):
            return [_registered(POD, MODEL), _registered(f"{POD}-prefill", "gpt-oss")]
        return []

    def command(self, *words: str) -> str:
        return " ".join(("kubectl", *words))

    def log(self, *_: str) -> str:
        return ""

    def get(self, *_: str) -> None:
        return None


def _registered(name: str, model: str) -> dict[str, Any]:
    cards = {"card": {"card_json": {"display_name": model}}}
    return {"metadata": {"name": name}, "spec": {"data": {"model_cards": cards}}}


def _pods() -> GraphPods:
    serving = shipped_stack("disagg-b200-8gpu").serving
    cluster = cast("ClusterReader", _Cluster())
    return GraphPods(cluster, serving.namespace, serving.graph_name, roles_of(serving))


def test_the_pod_is_looked_at_whichever_of_its_workers_is_missing() -> None:
    for role in ("prefill", "decode"):
        assert POD in _pods().why_absent((role,)).found
    assert "TrtllmWorker" not in _pods().why_absent(("frontend",)).found


def test_a_worker_that_registers_as_the_second_container_is_heard_too() -> None:
    assert _pods().other_names(MODEL) == [f"pod {POD} has registered as gpt-oss"]
