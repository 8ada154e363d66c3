"""The claim that holds the model: its size, its class and where it is mounted."""

from tests.rules.case import On
from tests.rules.edits import add, document, drop, put, text, variable
from tests.rules.names import DOWNLOAD, GRAPH, POD, SERVER, VLLM_MAIN, VLLM_POD, WORKER
from tests.rules.serving_edits import main, main_container, vllm_argument

HOLDS = "cache-holds-the-model"
PATH = "model-path-mounted"
CLASS = "storage-class-exists"

CLAIM = "model-cache"
_CLAIM = "PersistentVolumeClaim/model-cache"
_SIZE = "spec.resources.requests.storage"
_SCRIPT = f"{SERVER}.args[0]"
_ENV = main_container(WORKER, "env")
_WITHOUT_OTHERS = "--exclude 'original/*' --exclude 'metal/*'"
_HOME_OF_ROOT = "/root/.cache/huggingface"

_EBS_CLASS = document(
    """
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: shared-files}
provisioner: ebs.csi.aws.com
volumeBindingMode: WaitForFirstConsumer
parameters: {type: gp3, encrypted: "true"}
"""
)

_IN_THE_HOME_OF_ROOT = (
    drop(GRAPH, f"{VLLM_POD}.securityContext"),
    put(GRAPH, f"{VLLM_MAIN}.volumeMounts[0].mountPath", _HOME_OF_ROOT),
    vllm_argument(0, "/opt/models", _HOME_OF_ROOT),
)
_IN_AN_EMPTY_DIRECTORY = (
    put("Deployment", f"{SERVER}.args[0]", "openai/gpt-oss-120b"),
    variable("Deployment", f"{SERVER}.env", "HF_HUB_OFFLINE", None),
    put("Deployment", f"{POD}.volumes[0]", {"name": "model-cache", "emptyDir": {}}),
)
_FILLER = {
    "name": "fill",
    "image": "example.com/models:1",
    "volumeMounts": [{"name": "model-cache", "mountPath": "/opt/models"}],
}

CASES = (
    On(HOLDS, "agg-gb200").passes("room for two revisions", put(_CLAIM, _SIZE, "122Gi")),
    On(HOLDS, "agg-gb200", CLAIM).advises(
        "room for two revisions, and a download of the weights in all three forms",
        ("takes 195.7 GB as it is downloaded", "beside it 391.5 GB"),
        put(_CLAIM, _SIZE, "200Gi"),
        text(DOWNLOAD, _SCRIPT, _WITHOUT_OTHERS, ""),
    ),
    On(HOLDS, "agg-gb200").passes(
        "room for two revisions, and a download of the tensors alone",
        put(_CLAIM, _SIZE, "200Gi"),
        text(DOWNLOAD, _SCRIPT, _WITHOUT_OTHERS, "--include 'model-*.safetensors'"),
    ),
    On(PATH, "agg-gb200", "TrtllmWorker", "model-download").fails(
        "the home of root and another user, and a download beside the claim",
        "mounts claim model-cache at /root/.cache/huggingface",
        "runs as user 1000",
        main(WORKER, "volumeMounts[1].mountPath", _HOME_OF_ROOT),
        variable(GRAPH, _ENV, "HF_HOME", _HOME_OF_ROOT),
        "where nothing is mounted, so the model goes with the pod; it mounts model-cache at /models",
        put(DOWNLOAD, f"{SERVER}.volumeMounts[0].mountPath", "/models"),
        advises=("model-download",),
    ),
    On(PATH, "vllm-agg", "VllmWorker").advises(
        "the home of root, and an image of another user",
        "below the home of root, but the user of nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.2.1 is not root",
        *_IN_THE_HOME_OF_ROOT,
    ),
    On(PATH, "vllm-agg").passes(
        "the home of root, and an image whose user is root",
        *_IN_THE_HOME_OF_ROOT,
        put(GRAPH, f"{VLLM_MAIN}.image", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.6.1"),
    ),
    On(PATH, "agg-gb200", "TrtllmWorker").fails(
        "a directory where nothing is mounted",
        ("reads its model from /model-store/gpt-oss-120b", "it mounts model-cache at /opt/models"),
        variable(GRAPH, _ENV, "MODEL_PATH", "/model-store/gpt-oss-120b"),
    ),
    On(CLASS, "vllm-agg", CLAIM).advises(
        "a name that stands for another",
        "asks for storage class your-storage-class",
        put(_CLAIM, "spec.storageClassName", "your-storage-class"),
    ),
    On(CLASS, "vllm-agg", CLAIM).advises(
        "the class of the publisher's cluster",
        "which is of the publisher's own cluster",
        put(_CLAIM, "spec.storageClassName", "dgxc-enterprise-file"),
    ),
    On(CLASS, "vllm-agg", CLAIM).advises(
        "no class, and no default one", "names no storage class", drop(_CLAIM, "spec.storageClassName")
    ),
    On(CLASS, "vllm-agg").passes(
        "an existing volume", drop(_CLAIM, "spec.storageClassName"), put(_CLAIM, "spec.volumeName", "models")
    ),
    On(CLASS, "trtllm-serve", CLAIM).fails(
        "a shared volume of EBS", "asks for ReadWriteMany from storage class shared-files", _EBS_CLASS
    ),
    On(CLASS, "trtllm-serve").passes(
        "a volume of one node, of EBS", _EBS_CLASS, put(_CLAIM, "spec.accessModes", ["ReadWriteOnce"])
    ),
    On(CLASS, "trtllm-serve", CLAIM).advises(
        "a shared volume of the class that makes EBS volumes where nobody gave its name to another",
        "asks for ReadWriteMany from storage class gp3, whose EBS volumes have no such mode",
        put(_CLAIM, "spec.storageClassName", "gp3"),
    ),
    On(CLASS, "trtllm-serve").passes(
        "a shared EBS volume without a file system", _EBS_CLASS, put(_CLAIM, "spec.volumeMode", "Block")
    ),
    On(HOLDS, "vllm-serve", "engine").fails(
        "an emptyDir that the model does not fit into",
        "into emptyDir model-cache of 20Gi at /opt/models, but its tensors alone take 65.2 GB: the pod is",
        _IN_AN_EMPTY_DIRECTORY,
        put("Deployment", f"{POD}.volumes[0].emptyDir.sizeLimit", "20Gi"),
    ),
    *(
        On(HOLDS, "vllm-serve").passes(
            name,
            _IN_AN_EMPTY_DIRECTORY,
            put("Deployment", f"{POD}.volumes[0].emptyDir.sizeLimit", limit),
            edit,
        )
        for name, limit, edit in (
            ("an emptyDir that the model fits into", "90Gi", ()),
            (
                "an emptyDir without weights",
                "20Gi",
                add("Deployment", f"{SERVER}.args", "--load-format=dummy"),
            ),
            ("an emptyDir, offline", "20Gi", variable("Deployment", f"{SERVER}.env", "HF_HUB_OFFLINE", "1")),
            (
                "a model of unknown size",
                "20Gi",
                put("Deployment", f"{SERVER}.args[0]", "Qwen/Qwen3-235B-A22B"),
            ),
        )
    ),
    On(HOLDS, "agg-gb200", CLAIM).advises(
        "room for two revisions, and a download that leaves one of the other forms out",
        "takes 195.7 GB as it is downloaded",
        put(_CLAIM, _SIZE, "200Gi"),
        text(DOWNLOAD, _SCRIPT, "--exclude 'original/*' ", ""),
    ),
    On(PATH, "vllm-serve", "engine").fails(
        "an offline worker whose cache is an emptyDir that nothing fills",
        "looks for it in /opt/models/hub, in emptyDir model-cache, which nothing fills",
        _IN_AN_EMPTY_DIRECTORY,
        variable("Deployment", f"{SERVER}.env", "HF_HUB_OFFLINE", "yes"),
    ),
    On(PATH, "vllm-serve").passes(
        "an offline worker whose cache an init container fills",
        _IN_AN_EMPTY_DIRECTORY,
        variable("Deployment", f"{SERVER}.env", "HF_HUB_OFFLINE", "yes"),
        add("Deployment", f"{POD}.initContainers", _FILLER),
    ),
    On(PATH, "vllm-serve", "engine").advises(
        "vLLM's own server that keeps its model beside the claim",
        "downloads openai/gpt-oss-120b into /root/.cache/huggingface/hub of its own container",
        put("Deployment", f"{SERVER}.args[0]", "openai/gpt-oss-120b"),
        drop("Deployment", f"{SERVER}.env[3]"),
        put("Deployment", f"{SERVER}.env[2].value", "/root/.cache/huggingface"),
    ),
)
