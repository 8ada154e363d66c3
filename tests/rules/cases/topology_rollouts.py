"""Rolling updates, and whether the first new pod finds GPUs."""

from tests.rules.case import On
from tests.rules.edits import Edit, drop, put
from tests.rules.names import DECODE, GRAPH

ROLLOUT = "rollout-can-proceed"
_SURGE = "nvidia.com/deployment-rolling-update-max-surge"
_UNAVAILABLE = "nvidia.com/deployment-rolling-update-max-unavailable"
_ONE_MORE = {"nvidia.com/deployment-strategy": "RollingUpdate", _SURGE: "1", _UNAVAILABLE: "0"}
_OF_VLLM = "spec.components[1].podTemplate.metadata.annotations"


def _annotated(worker: str, annotations: dict[str, str]) -> Edit:
    return put(GRAPH, f"spec.services.{worker}.extraPodMetadata.annotations", annotations)


CASES = (
    On(ROLLOUT, "trtllm-serve", "engine").fails(
        "a Deployment that adds a pod where no GPU is free",
        "starts 1 pod before an old one may go (max-unavailable 0, spec.strategy)",
        "needs 4 free GPUs on one node; pool p6e-gb200.36xlarge (1 x p6e-gb200.36xlarge with 4 GPUs "
        "each) has 0 free in all",
        put("Deployment", "spec.strategy", {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0}}),
    ),
    On(ROLLOUT, "vllm-agg", "VllmWorker").fails(
        "annotations of the whole graph",
        f"starts 1 pod before an old one may go (max-unavailable 0, {_UNAVAILABLE})",
        drop(GRAPH, _OF_VLLM),
        put(GRAPH, "spec.annotations", _ONE_MORE),
    ),
    On(ROLLOUT, "disagg-b200", DECODE).advises(
        "a strategy alone, of which the operator may keep every old pod",
        "starts 1 pod before an old one may go (max-unavailable 0, ",
        _annotated(DECODE, {"nvidia.com/deployment-strategy": "RollingUpdate"}),
    ),
    On(ROLLOUT, "vllm-agg").passes(
        "pods that never fit", put(GRAPH, _OF_VLLM, _ONE_MORE), put(GRAPH, "spec.components[1].replicas", 9)
    ),
    On(ROLLOUT, "vllm-agg").passes(
        "a graph under Grove, which takes an old pod first",
        put(GRAPH, f"{_OF_VLLM}[{_UNAVAILABLE}]", "0"),
        put(GRAPH, "metadata.annotations", {"nvidia.com/enable-grove": "true"}),
    ),
    On(ROLLOUT, "disagg-b200", DECODE).is_undecided(
        "a surge that is no number",
        "a rollout's surge or unavailability is 'some', not a number or a percentage",
        _annotated(DECODE, {**_ONE_MORE, _SURGE: "some"}),
    ),
)
