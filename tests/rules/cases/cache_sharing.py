"""The claim that holds the model: who mounts it, from how many nodes."""

from tests.rules.case import TWO_GB200, Case, failed, undecided
from tests.rules.edits import document, put, without

SHARED = "cache-shared-by-nodes"

CLAIM = "model-cache"
_CLAIM = "PersistentVolumeClaim/model-cache"
_MODES = "spec.accessModes"

CASES = (
    Case(
        SHARED,
        "one node may mount what three kinds of pod do",
        "disagg-b200",
        (put(_CLAIM, _MODES, ["ReadWriteOnce"]),),
        failed(SHARED, CLAIM),
        (
            "allows ReadWriteOnce, but 4 pods mount it",
            "1 of TrtllmDecodeWorker",
            "1 of gpt-oss-120b-disagg-bench",
        ),
    ),
    Case(
        SHARED,
        "one pod alone",
        "trtllm-serve",
        (put(_CLAIM, _MODES, ["ReadWriteOnce"]),),
    ),
    Case(
        SHARED,
        "two workers on two nodes that only read",
        "trtllm-serve",
        (
            put(_CLAIM, _MODES, ["ReadOnlyMany"]),
            put("Deployment", "spec.replicas", 2),
            put("Deployment", "spec.template.spec.containers[0].volumeMounts[0].readOnly", value=True),
        ),
        pools=TWO_GB200,
    ),
    Case(
        SHARED,
        "a claim that another file makes",
        "vllm-agg",
        (without(_CLAIM),),
        undecided(SHARED, CLAIM),
        ("9 pods mount it (8 of VllmWorker + 1 of Frontend)", "nothing that was read says"),
    ),
    Case(
        SHARED,
        "two claims of one name",
        "vllm-agg",
        (
            document(
                "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: model-cache}, "
                "spec: {storageClassName: shared-files}}"
            ),
        ),
        undecided(SHARED, CLAIM),
        ("there are 2 claims named model-cache",),
    ),
    Case(
        SHARED,
        "two servers on any nodes, of which one may mount it",
        "vllm-serve",
        (
            put(_CLAIM, _MODES, ["ReadWriteOnce"]),
            put("Deployment", "spec.replicas", 2),
        ),
        failed(SHARED, CLAIM),
        ("allows ReadWriteOnce, but 2 pods mount it (2 of engine), and nothing keeps them on one node",),
        pools=(),
    ),
)
