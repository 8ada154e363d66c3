"""What an API server refuses in requests, limits and sizes although their schema takes it."""

from tests.rules.case import On
from tests.rules.cases.structure import VALUES
from tests.rules.edits import drop, put
from tests.rules.names import DECODE, GRAPH, SERVER, VLLM_MAIN
from tests.rules.serving_edits import main

CASES = (
    On(VALUES, "vllm-agg", "VllmWorker").fails(
        "fewer GPUs requested than a graph's worker has for its limit",
        'Invalid value: "2": must be equal to nvidia.com/gpu limit of',
        put(GRAPH, f"{VLLM_MAIN}.resources.requests", {"nvidia.com/gpu": "2"}),
    ),
    On(VALUES, "disagg-b200", DECODE).fails(
        "requests below limits, a device without a limit, and what is refused in a service's pods",
        f'spec.services.{DECODE}.resources.requests: Invalid value: "2": must be equal to nvidia.com/gpu',
        f"spec.services.{DECODE}.resources.limits: Required value: Limit must be set",
        put(GRAPH, f"spec.services.{DECODE}.resources.requests.gpu", "2"),
        put(GRAPH, f"spec.services.{DECODE}.resources.requests.custom", {"rdma/ib": "1"}),
        f"{DECODE}.extraPodSpec.tolerations[0].effect: Unsupported value",
        f'{DECODE}.extraPodSpec.mainContainer.startupProbe.httpGet.port: Invalid value: "9090"',
        put(GRAPH, f"spec.services.{DECODE}.extraPodSpec.tolerations[0].effect", "NoScheduled"),
        main(DECODE, "startupProbe", {"httpGet": {"path": "/live", "port": "9090"}}),
    ),
    On(VALUES, "vllm-serve", "vllm-serve").fails(
        "GPUs that are requested and not limited",
        "Limit must be set for non overcommitable resources",
        drop("Deployment", f"{SERVER}.resources.limits[nvidia.com/gpu]"),
    ),
    On(VALUES, "vllm-serve", "vllm-serve").fails(
        "an amount whose suffix there is not",
        "requests.memory is the text '400K'; the API server: unable to parse quantity's suffix",
        put("Deployment", f"{SERVER}.resources.requests.memory", "400K"),
        put("Deployment", f"{SERVER}.resources.requests.cpu", "1e1"),
    ),
)
