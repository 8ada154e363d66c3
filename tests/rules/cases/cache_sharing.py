"""What holds the model: a claim that nodes share, a volume of one node, or a directory of each."""

from tests.rules.case import B200, H200, TWO_GB200, On
from tests.rules.edits import document, put, without
from tests.rules.names import GRAPH

SHARED = "cache-shared-by-nodes"
CLAIM = "model-cache"
_CLAIM = "PersistentVolumeClaim/model-cache"
_MODES = "spec.accessModes"
FILLED = "node-cache-filled"
_COPIES = "DaemonSet/model-copies"
_LABELS = (("nvidia.com/gpu.product", "NVIDIA-B200"), ("kubernetes.io/arch", "amd64"))
_TERM = {"matchExpressions": [{"key": key, "operator": "In", "values": [value]} for key, value in _LABELS]}
_ONE_NODE = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [_TERM]}}
_FRONTEND = "spec.services.Frontend.extraPodSpec"
_TOLERATION = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
_BESIDE_THE_WORKERS = (
    put(_CLAIM, "spec.accessModes", ["ReadWriteOnce"]),
    put(_CLAIM, "spec.storageClassName", "gp3"),
    put(GRAPH, f"{_FRONTEND}.affinity.nodeAffinity", _ONE_NODE),
    put(GRAPH, f"{_FRONTEND}.tolerations", _TOLERATION),
    put("Job/model-download", "spec.template.spec.affinity.nodeAffinity", _ONE_NODE),
    put("Job/model-download", "spec.template.spec.tolerations", _TOLERATION),
    put("Job/gpt-oss-120b-disagg-bench", "spec.template.spec.affinity.nodeAffinity", _ONE_NODE),
)

CASES = (
    On(SHARED, "disagg-b200", CLAIM).fails(
        "one node may mount what three kinds of pod do",
        "allows ReadWriteOnce, but 4 pods mount it",
        "1 of TrtllmDecodeWorker",
        "1 of gpt-oss-120b-disagg-bench",
        put(_CLAIM, _MODES, ["ReadWriteOnce"]),
    ),
    On(SHARED, "trtllm-serve").passes("one pod alone", put(_CLAIM, _MODES, ["ReadWriteOnce"])),
    On(SHARED, "trtllm-serve").passes(
        "two workers on two nodes that only read",
        put(_CLAIM, _MODES, ["ReadOnlyMany"]),
        put("Deployment", "spec.replicas", 2),
        put("Deployment", "spec.template.spec.containers[0].volumeMounts[0].readOnly", value=True),
        pools=TWO_GB200,
    ),
    On(SHARED, "vllm-agg", CLAIM).is_undecided(
        "two claims of one name",
        "there are 2 claims named model-cache",
        document(
            "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: model-cache}, "
            "spec: {storageClassName: shared-files}}"
        ),
    ),
    On(SHARED, "vllm-serve", CLAIM).advises(
        "two servers on any nodes, of which one may mount it",
        "allows ReadWriteOnce, but 2 pods mount it (2 of engine), and nothing keeps them on one node",
        put(_CLAIM, _MODES, ["ReadWriteOnce"]),
        put("Deployment", "spec.replicas", 2),
        pools=(),
    ),
    On(SHARED, "vllm-agg", CLAIM).fails(
        "readers of which one may write",
        "allows ReadOnlyMany, ReadWriteOnce, but 9 pods mount it (8 of VllmWorker + 1 of Frontend)",
        put(_CLAIM, _MODES, ["ReadOnlyMany", "ReadWriteOnce"]),
        put(GRAPH, "spec.components[1].podTemplate.spec.containers[0].volumeMounts[0].readOnly", value=True),
    ),
    On(FILLED, "vllm-node-cache", "engine").fails(
        "copies on the nodes of another GPU",
        ("from /mnt/k8s-disks/0/models of its node", "pool p5en.48xlarge, where model-copies does not"),
        put(_COPIES, "spec.template.spec.nodeSelector[nvidia.com/gpu.product]", "NVIDIA-B200"),
        pools=(*H200, *B200),
    ),
    On(FILLED, "vllm-node-cache").passes(
        "a Job that fills the one node",
        put(_COPIES, "kind", "Job"),
        put(_COPIES.replace("DaemonSet", "Job"), "apiVersion", "batch/v1"),
    ),
    On(FILLED, "vllm-node-cache", "/mnt/k8s-disks/0/models").is_undecided(
        "nothing that fills it", "nothing that was read fills /mnt/k8s-disks/0/models", without(_COPIES)
    ),
    On(FILLED, "vllm-node-cache", "engine").fails(
        "a Job that fills one of two nodes",
        "is on whichever node it lands, and Job model-copies fills the directory of one",
        put(_COPIES, "kind", "Job"),
        put(_COPIES.replace("DaemonSet", "Job"), "apiVersion", "batch/v1"),
        pools=(("p5en.48xlarge", 2),),
    ),
    On(SHARED, "disagg-b200").passes(
        "a disk that everything mounts on the one node of a pool", _BESIDE_THE_WORKERS
    ),
)
