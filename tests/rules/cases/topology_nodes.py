"""Nodes that pods select, and those of frontends and of the members of etcd and NATS."""

from tests.rules.case import On
from tests.rules.edits import Edit, drop, put
from tests.rules.exports import unset
from tests.rules.names import DECODE, GRAPH, POD, PREFILL, SERVER

FITS, FITS_POOL = "worker-fits-node", "workers-fit-pool"
SELECTS = "pod-selects-a-pool"
_ANY_X86 = {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux"}


def _gpus(number: str) -> tuple[Edit, ...]:
    return tuple(
        put("Deployment/vllm-serve", f"{SERVER}.resources.{kind}[nvidia.com/gpu]", number)
        for kind in ("limits", "requests")
    )


CASES = (
    On(FITS, "vllm-serve").passes(
        "a worker that fits on the nodes of one of its pools",
        put("Deployment", f"{POD}.nodeSelector", _ANY_X86),
        pools=(("p5en.48xlarge", 1), ("p5.4xlarge", 1)),
    ),
    On(FITS_POOL, "vllm-serve", "engine").is_undecided(
        "a worker for the nodes of several pools",
        "its node selection matches not one pool but: p5en.48xlarge, p5.4xlarge",
        put("Deployment", f"{POD}.nodeSelector", _ANY_X86),
        pools=(("p5en.48xlarge", 1), ("p5.4xlarge", 1)),
    ),
    On(FITS, "trtllm-serve", "engine").is_undecided(
        "no pool to fit in", "nothing says which pool it runs in", pools=()
    ),
    On(FITS_POOL, "disagg-b200", f"{DECODE}, {PREFILL}").fails(
        "replicas that are more than the machine has GPUs",
        f"2 x 4 of {DECODE} + 1 of {PREFILL} is 9 GPUs",
        "pool p6-b200.48xlarge (1 x p6-b200.48xlarge with 8 GPUs each) has 8",
        put(GRAPH, f"spec.services.{DECODE}.replicas", 2),
    ),
    On(FITS_POOL, "vllm-serve", "engine").fails(
        "pods that leave no node with enough GPUs",
        ("3 x 5 of engine is 15 of the 16 GPUs of pool p5en.48xlarge", "cannot be packed"),
        _gpus("5"),
        put("Deployment", f"{SERVER}.args[4]", "--tensor-parallel-size=5"),
        put("Deployment", "spec.replicas", 3),
        pools=(("p5en.48xlarge", 2),),
    ),
    On(SELECTS, "vllm-serve", "engine").fails(
        "a GPU that no pool has",
        "nvidia.com/gpu.product=NVIDIA-B300, which no node of the pools has: p5en.48xlarge (p5en.48xlarge)",
        put("Deployment", f"{POD}.nodeSelector[nvidia.com/gpu.product]", "NVIDIA-B300"),
    ),
    On(SELECTS, "program-on-eks", "VllmWorker").fails(
        "the taint of its pool not tolerated",
        "does not tolerate the taint nvidia.com/gpu=present:NoSchedule of pool b200",
        unset("DynamoGraphDeployment/graph", "inputs.spec.components[1].podTemplate.spec.tolerations"),
    ),
    On(SELECTS, "vllm-serve", "engine").is_undecided(
        "a label of which nobody says whether the nodes carry it",
        "nothing says whether the nodes of pool p5en.48xlarge carry the label example.com/pool",
        put("Deployment", f"{POD}.nodeSelector[example.com/pool]", "gpus"),
    ),
    On(SELECTS, "vllm-serve", "engine").advises(
        "nothing", "selects nodes by no label at all, so it can", drop("Deployment", f"{POD}.nodeSelector")
    ),
)
