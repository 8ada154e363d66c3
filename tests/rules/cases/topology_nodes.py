"""Nodes that pods select, and those of frontends and of the members of etcd and NATS."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, drop, put
from tests.rules.exports import unset
from tests.rules.serving_edits import DECODE, GRAPH, PREFILL, SERVER

FITS, FITS_POOL = "worker-fits-node", "workers-fit-pool"
SELECTS = "pod-selects-a-pool"
EKS_GRAPH = "DynamoGraphDeployment/graph"
_POD = "spec.template.spec"
_ANY_X86 = {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux"}


def _gpus(number: str) -> tuple[Edit, ...]:
    return tuple(
        put("Deployment/vllm-serve", f"{SERVER}.resources.{kind}[nvidia.com/gpu]", number)
        for kind in ("limits", "requests")
    )


NATS = "dynamo-nats"

CASES = (
    Case(
        FITS,
        "a worker that fits on the nodes of one of its pools",
        "vllm-serve",
        (put("Deployment", f"{_POD}.nodeSelector", _ANY_X86),),
        pools=(("p5en.48xlarge", 1), ("p5.4xlarge", 1)),
    ),
    Case(
        FITS_POOL,
        "a worker for the nodes of several pools",
        "vllm-serve",
        (put("Deployment", f"{_POD}.nodeSelector", _ANY_X86),),
        undecided(FITS_POOL, "engine"),
        ("its node selection matches not one pool but: p5en.48xlarge, p5.4xlarge",),
        pools=(("p5en.48xlarge", 1), ("p5.4xlarge", 1)),
    ),
    Case(
        FITS,
        "no pool to fit in",
        "trtllm-serve",
        (),
        undecided(FITS, "engine"),
        ("nothing says which pool it runs in",),
        pools=(),
    ),
    Case(
        FITS_POOL,
        "replicas that are more than the machine has GPUs",
        "disagg-b200",
        (put(GRAPH, f"spec.services.{DECODE}.replicas", 2),),
        failed(FITS_POOL, f"{DECODE}, {PREFILL}"),
        (
            f"2 x 4 of {DECODE} + 1 of {PREFILL} is 9 GPUs",
            "pool p6-b200.48xlarge (1 x p6-b200.48xlarge with 8 GPUs each) has 8",
        ),
    ),
    Case(
        FITS_POOL,
        "pods that leave no node with enough GPUs",
        "vllm-serve",
        (
            *_gpus("5"),
            put("Deployment", f"{SERVER}.args[4]", "--tensor-parallel-size=5"),
            put("Deployment", "spec.replicas", 3),
        ),
        failed(FITS_POOL, "engine"),
        ("3 x 5 of engine is 15 of the 16 GPUs of pool p5en.48xlarge", "cannot be packed"),
        pools=(("p5en.48xlarge", 2),),
    ),
    Case(
        SELECTS,
        "a GPU that no pool has",
        "vllm-serve",
        (put("Deployment", f"{_POD}.nodeSelector[nvidia.com/gpu.product]", "NVIDIA-B300"),),
        failed(SELECTS, "engine"),
        (
            "selects kubernetes.io/arch=amd64, nvidia.com/gpu.product=NVIDIA-B300, which no node of the "
            "pools has: p5en.48xlarge (p5en.48xlarge)",
        ),
    ),
    Case(
        SELECTS,
        "the taint of its pool not tolerated",
        "program-on-eks",
        (unset(EKS_GRAPH, "inputs.spec.components[1].podTemplate.spec.tolerations"),),
        failed(SELECTS, "VllmWorker"),
        ("does not tolerate the taint nvidia.com/gpu=present:NoSchedule of pool b200",),
    ),
    Case(
        SELECTS,
        "a label of which nobody says whether the nodes carry it",
        "vllm-serve",
        (put("Deployment", f"{_POD}.nodeSelector[example.com/pool]", "gpus"),),
        undecided(SELECTS, "engine"),
        ("nothing says whether the nodes of pool p5en.48xlarge carry the label example.com/pool",),
    ),
    Case(
        SELECTS,
        "no selection at all",
        "vllm-serve",
        (drop("Deployment", f"{_POD}.nodeSelector"),),
        failed(SELECTS, "engine"),
        ("selects nodes by no label at all, so it can land on any GPU",),
    ),
)
