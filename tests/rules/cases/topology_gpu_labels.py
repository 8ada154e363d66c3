"""Labels of GPUs and processors by which pods select nodes, and taints that they tolerate."""

from tests.rules.case import On
from tests.rules.edits import Edit, drop, put
from tests.rules.names import GRAPH, VLLM_POD, WORKER

SELECTS = "pod-selects-a-pool"
_SELECTOR = f"{VLLM_POD}.nodeSelector"


def _terms(*terms: tuple[str, str]) -> dict[str, object]:
    """Node affinity to a GPU with an architecture, or another."""
    written = [
        {
            "matchExpressions": [
                {"key": "nvidia.com/gpu.product", "operator": "In", "values": [product]},
                {"key": "kubernetes.io/arch", "operator": "In", "values": [architecture]},
            ]
        }
        for product, architecture in terms
    ]
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    return {"nodeAffinity": {required: {"nodeSelectorTerms": written}}}


def _gpus(number: str) -> tuple[Edit, ...]:
    """A worker of one replica, with tensor parallelism over as many GPUs."""
    main = f"{VLLM_POD}.containers[0]"
    return (
        put(GRAPH, "spec.components[1].replicas", 1),
        put(GRAPH, f"{main}.args[2]", f"--tensor-parallel-size={number}"),
        put(GRAPH, f"{main}.resources.requests[nvidia.com/gpu]", number),
        put(GRAPH, f"{main}.resources.limits[nvidia.com/gpu]", number),
    )


CASES = (
    On(SELECTS, "agg-gb200", WORKER).fails(
        "GB200 in an x86 machine",
        "no machine with that GPU has a processor of that architecture",
        put(GRAPH, f"spec.services.{WORKER}.extraPodSpec.nodeSelector[kubernetes.io/arch]", "amd64"),
    ),
    On(SELECTS, "vllm-agg").passes(
        "two terms, of which one is enough",
        drop(GRAPH, _SELECTOR),
        put(GRAPH, f"{VLLM_POD}.affinity", _terms(("NVIDIA-B200", "amd64"), ("NVIDIA-GB200", "amd64"))),
    ),
    On(SELECTS, "vllm-agg", "VllmWorker").fails(
        "a GPU and an architecture by wrong names",
        "no GPU is called NVIDIA-B2000, and one is called NVIDIA-B200",
        put(GRAPH, f"{_SELECTOR}[nvidia.com/gpu.product]", "NVIDIA-B2000"),
        "no node is called x86_64; Kubernetes writes amd64 or arm64",
        put(GRAPH, f"{_SELECTOR}[kubernetes.io/arch]", "x86_64"),
    ),
    On(SELECTS, "vllm-agg", "VllmWorker").advises(
        "a toleration of nearly the taint of GPUs",
        "tolerates the taint nvidia.com/gpus, which no node has; nodes with GPUs have nvidia.com/gpu",
        put(GRAPH, f"{VLLM_POD}.tolerations[0].key", "nvidia.com/gpus"),
    ),
    On(SELECTS, "vllm-agg", "VllmWorker").advises(
        "a toleration of GPU nodes by another effect than theirs",
        "tolerates nvidia.com/gpu with the effect NoExecute; most nodes with GPUs have NoSchedule",
        put(GRAPH, f"{VLLM_POD}.tolerations[0].effect", "NoExecute"),
    ),
    On("worker-fits-node", "vllm-agg", "VllmWorker").advises(
        "more GPUs for a pod on Grace than a tray has, and nothing says which nodes there are",
        "asks for 8 GPUs in one pod, and a node of the types known here with arm64 processors has at most 4",
        _gpus("8"),
        put(GRAPH, _SELECTOR, {"kubernetes.io/arch": "arm64"}),
        pools=(),
        undecided_for=("VllmWorker",),
    ),
)
