"""What the operator makes of a v1alpha1 service's own mounts and annotations, release by release."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, drop, put
from tests.rules.serving_edits import GRAPH, WORKER, main, of_service

MOUNTS, ROLLOUT = "service-mounts-kept", "rollout-annotated-on-the-pod"

_MOUNT = [{"name": "model-cache", "mountPoint": "/opt/models"}]
_CLAIMS = put(GRAPH, "spec.pvcs", [{"name": "model-cache", "create": False}])
_FRONTEND_POD = "spec.services.Frontend.extraPodSpec"
_RECREATE = {
    "nvidia.com/deployment-strategy": "Recreate",
    "nvidia.com/deployment-rolling-update-max-surge": "0",
    "nvidia.com/deployment-rolling-update-max-unavailable": "100%",
}
_ON_SERVICE = of_service(WORKER, "annotations", _RECREATE)
_NOT_ON_POD = drop(GRAPH, f"spec.services.{WORKER}.extraPodMetadata")


def _of_release(version: str) -> Edit:
    return main(WORKER, "image", f"nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:{version}")


CASES = (
    Case(
        MOUNTS,
        "a claim of the service beside the engine's files",
        "agg-gb200",
        (_CLAIMS, of_service(WORKER, "volumeMounts", _MOUNT)),
        failed(MOUNTS, WORKER),
        (
            "mounts model-cache at /opt/models as volumeMounts of the service, beside volumeMounts of its "
            "mainContainer, which the operator of 1.2 keeps alone",
        ),
    ),
    Case(
        MOUNTS,
        "a claim of a service whose container mounts nothing else",
        "agg-gb200",
        (
            _CLAIMS,
            of_service("Frontend", "volumeMounts", _MOUNT),
            drop(GRAPH, f"{_FRONTEND_POD}.volumes"),
            drop(GRAPH, f"{_FRONTEND_POD}.mainContainer.volumeMounts"),
        ),
    ),
    Case(
        MOUNTS,
        "images of two releases, of which none says the operator's",
        "agg-gb200",
        (_CLAIMS, of_service(WORKER, "volumeMounts", _MOUNT), _of_release("1.4.0")),
        undecided(MOUNTS, WORKER),
        ("1.2 and 1.4 says of which release the operator is",),
    ),
    Case(
        ROLLOUT,
        "a strategy on the service alone",
        "agg-gb200",
        (_ON_SERVICE, _NOT_ON_POD),
        failed(ROLLOUT, WORKER),
        (
            "has nvidia.com/deployment-strategy: Recreate, "
            "nvidia.com/deployment-rolling-update-max-surge: 0, "
            "nvidia.com/deployment-rolling-update-max-unavailable: 100% among the annotations of the service",
        ),
    ),
    Case(ROLLOUT, "a strategy in both places", "agg-gb200", (_ON_SERVICE,)),
)
