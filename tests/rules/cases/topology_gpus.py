"""GPUs that pods ask for, and who hands them out: the device plugin, the DRA driver, or by mistake both."""

from tests.rules.case import On
from tests.rules.edits import add, document, drop, put, variable
from tests.rules.names import GRAPH, POD, SERVER, VLLM_MAIN

GPUS = "gpus-match-parallelism"
_NO_GPUS = tuple(
    drop("Deployment", f"{SERVER}.resources.{kind}[nvidia.com/gpu]") for kind in ("requests", "limits")
)
_GROUP = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: group, namespace: gpt-oss}}
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: 2
    leaderTemplate:
      spec:
        containers:
          - name: engine
            image: docker.io/vllm/vllm-openai:v0.20.1
            command: [vllm, serve, openai/gpt-oss-120b]
            args: [--tensor-parallel-size=8, --pipeline-parallel-size={stages}]
            resources: {{limits: {{nvidia.com/gpu: "8"}}}}
    workerTemplate:
      spec:
        containers:
          - name: ray
            image: docker.io/vllm/vllm-openai:v0.20.1
            command: [ray, start, --block]
            resources: {{limits: {{nvidia.com/gpu: "{others}"}}}}
"""
_MEMBER = "spec.leaderWorkerTemplate.workerTemplate.spec.containers[0]"
_FOUR_GPUS = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: four, namespace: gpt-oss}
spec: {spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
"""
_JOINS = put(
    "LeaderWorkerSet",
    f"{_MEMBER}.command",
    [
        *("vllm", "serve", "openai/gpt-oss-120b", "--tensor-parallel-size=8", "--pipeline-parallel-size=2"),
        *("--headless", "--nnodes=$(LWS_GROUP_SIZE)", "--node-rank=$(LWS_WORKER_INDEX)"),
    ],
)

CASES = (
    On(GPUS, "vllm-agg", "VllmWorker").fails(
        "data parallelism is a factor in vLLM",
        ("uses 2", "data parallelism 2 (--data-parallel-size)"),
        add(GRAPH, f"{VLLM_MAIN}.args", "--data-parallel-size=2"),
    ),
    On(GPUS, "vllm-agg", "VllmWorker").fails(
        "a worker beside first containers that are no list",
        "uses 2",
        add(GRAPH, f"{VLLM_MAIN}.args", "--data-parallel-size=2"),
        put(GRAPH, "spec.components[1].podTemplate.spec.initContainers", "none"),
    ),
    On(GPUS, "vllm-agg").passes(
        "counts that the engine refuses",
        add(GRAPH, f"{VLLM_MAIN}.args", "--data-parallel-size=0"),
        add(GRAPH, f"{VLLM_MAIN}.args", "--nnodes=-1"),
    ),
    On(GPUS, "vllm-agg").passes(
        "of vLLM's data parallelism only the local part counts",
        add(GRAPH, f"{VLLM_MAIN}.args", "--data-parallel-size=16"),
        add(GRAPH, f"{VLLM_MAIN}.args", "--data-parallel-size-local=1"),
    ),
    On(GPUS, "vllm-agg", "VllmWorker").is_undecided(
        "an engine of its own in a container that starts before and stays",
        "asks for 8 GPUs, but no engine is seen",
        put(
            GRAPH,
            "spec.components[1].podTemplate.spec.initContainers",
            [
                {"name": "waits", "resources": {"limits": {"nvidia.com/gpu": "1"}}},
                {
                    "name": "engine",
                    "restartPolicy": "Always",
                    "command": ["vllm-rs", "serve"],
                    "resources": {"limits": {"nvidia.com/gpu": "8"}},
                },
            ],
        ),
    ),
    On(GPUS, "vllm-serve", "engine").is_undecided(
        "a patch, whose base has the image, and maybe the GPUs",
        "its container names no image, as in a patch",
        _NO_GPUS,
        drop("Deployment", f"{SERVER}.image"),
    ),
    On(GPUS, "vllm-serve", "engine").is_undecided(
        "no engine in the command",
        "asks for 4 GPUs, but no engine is seen",
        put("Deployment", SERVER + ".command", ["a"]),
    ),
    On(GPUS, "vllm-serve", "engine").is_undecided(
        "GPUs that a claim of dynamic resource allocation may bring",
        "asks for no GPU by number; its claim gpus may bring some",
        _NO_GPUS,
        put("Deployment", f"{SERVER}.resources.claims", [{"name": "gpus"}]),
        put("Deployment", f"{POD}.resourceClaims", [{"name": "gpus", "resourceClaimTemplateName": "four"}]),
        document(_FOUR_GPUS),
    ),
    On(GPUS, "vllm-serve", "engine").is_undecided(
        "a device that is none",
        "asks for no GPU by number; its option --device may bring some",
        _NO_GPUS,
        add("Deployment", f"{SERVER}.args", "--device=cpu"),
    ),
    On(GPUS, "vllm-serve", "engine").fails(
        "a variable that hides GPUs from the engine that uses them",
        "CUDA_VISIBLE_DEVICES shows its engine 2 of the 4 GPUs that it uses",
        variable("Deployment", f"{SERVER}.env", "CUDA_VISIBLE_DEVICES", "0,1"),
    ),
    On(GPUS, "vllm-serve", "engine").fails(
        "a variable with the node's numbers of GPUs",
        "CUDA_VISIBLE_DEVICES shows its engine 0 of the 4 GPUs that it uses; its container has 4",
        variable("Deployment", f"{SERVER}.env", "CUDA_VISIBLE_DEVICES", "4,5,6,7"),
    ),
    On(GPUS, "vllm-serve", "engine").fails(
        "a leader whose engine takes more GPUs than its group has",
        "asks for 16 GPUs (2 pods of 8), but its engine uses 32",
        document(_GROUP.format(stages=4, others=8)),
        undecided_for=("ray",),
    ),
    On(GPUS, "vllm-serve", "engine").fails(
        "a leader beside pods of fewer GPUs",
        "asks for 12 GPUs (2 pods of 8 and 4), but its engine uses 16",
        document(_GROUP.format(stages=2, others=4)),
        undecided_for=("ray",),
    ),
    On(GPUS, "vllm-serve", "engine").advises(
        "a leader whose GPUs only an overlay can bring",
        "has no resources, so no GPU but by an overlay: its engine uses 16",
        document(_GROUP.format(stages=2, others=8)),
        drop("LeaderWorkerSet", "spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].resources"),
        undecided_for=("ray",),
    ),
    On(GPUS, "vllm-serve").passes(
        "a member with its part of the group's engine", document(_GROUP.format(stages=2, others=8)), _JOINS
    ),
    On(GPUS, "vllm-serve", "engine", "ray").fails(
        "a member of fewer GPUs than its part of the engine",
        ("asks for 12 GPUs (2 pods of 8 and 4)", "asks for 8 GPUs (2 pods of 4), but its engine uses 16"),
        document(_GROUP.format(stages=2, others=4)),
        _JOINS,
    ),
    On("flags-exist", "vllm-serve", "ray").fails(
        "a rank that the group's controller sets, and a number that nobody does",
        "--max-num-seqs is many, and must be a whole number",
        document(_GROUP.format(stages=2, others=8)),
        _JOINS,
        add("LeaderWorkerSet", f"{_MEMBER}.command", "--max-num-seqs=many"),
    ),
    On(GPUS, "vllm-serve", "engine").is_undecided(
        "a leader beside pods whose GPUs nobody counts",
        "the pods beside its leader cannot be read, or ask for no GPU by number",
        document(_GROUP.format(stages=2, others=8)),
        put("LeaderWorkerSet", f"{_MEMBER}.resources", {"limits": {"amd.com/gpu": "8"}}),
    ),
)
