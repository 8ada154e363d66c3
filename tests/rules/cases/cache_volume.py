"""The claim that holds the model: its size, its class and where it is mounted."""

from tests.rules.case import Case, failed
from tests.rules.edits import add, document, drop, put, text, variable
from tests.rules.serving_edits import GRAPH, SERVER

HOLDS = "cache-holds-the-model"
PATH = "model-path-mounted"
CLASS = "storage-class-exists"

CLAIM = "model-cache"
_CLAIM = "PersistentVolumeClaim/model-cache"
_SIZE = "spec.resources.requests.storage"
_WORKER = "spec.services.TrtllmWorker"
_SCRIPT = "spec.template.spec.containers[0].args[0]"
_ENV = f"{_WORKER}.extraPodSpec.mainContainer.env"

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

_POD = "spec.template.spec"
_IN_AN_EMPTY_DIRECTORY = (
    put("Deployment", f"{SERVER}.args[0]", "openai/gpt-oss-120b"),
    variable("Deployment", f"{SERVER}.env", "HF_HUB_OFFLINE", None),
    put("Deployment", f"{_POD}.volumes[0]", {"name": "model-cache", "emptyDir": {}}),
)
_FILLER = {
    "name": "fill",
    "image": "example.com/models:1",
    "volumeMounts": [{"name": "model-cache", "mountPath": "/opt/models"}],
}

CASES = (
    Case(
        HOLDS,
        "room for two revisions",
        "agg-gb200",
        (put(_CLAIM, _SIZE, "122Gi"),),
    ),
    Case(
        HOLDS,
        "room for two revisions, and a download of the weights in all three forms",
        "agg-gb200",
        (
            put(_CLAIM, _SIZE, "200Gi"),
            text("Job/model-download", _SCRIPT, "--exclude 'original/*' --exclude 'metal/*'", ""),
        ),
        failed(HOLDS, CLAIM),
        ("takes 195.7 GB as it is downloaded", "beside it 391.5 GB"),
    ),
    Case(
        HOLDS,
        "room for two revisions, and a download of the tensors alone",
        "agg-gb200",
        (
            put(_CLAIM, _SIZE, "200Gi"),
            text(
                "Job/model-download",
                _SCRIPT,
                "--exclude 'original/*' --exclude 'metal/*'",
                "--include 'model-*.safetensors'",
            ),
        ),
    ),
    Case(
        PATH,
        "the home of root, and another user",
        "agg-gb200",
        (
            put(
                GRAPH,
                f"{_WORKER}.extraPodSpec.mainContainer.volumeMounts[1].mountPath",
                "/root/.cache/huggingface",
            ),
            variable(GRAPH, _ENV, "HF_HOME", "/root/.cache/huggingface"),
        ),
        failed(PATH, "TrtllmWorker"),
        ("mounts claim model-cache at /root/.cache/huggingface", "runs as user 1000"),
    ),
    Case(
        PATH,
        "a directory where nothing is mounted",
        "agg-gb200",
        (variable(GRAPH, _ENV, "MODEL_PATH", "/model-store/gpt-oss-120b"),),
        failed(PATH, "TrtllmWorker"),
        ("reads its model from /model-store/gpt-oss-120b", "it mounts model-cache at /opt/models"),
    ),
    Case(
        CLASS,
        "a name that stands for another",
        "vllm-agg",
        (put(_CLAIM, "spec.storageClassName", "your-storage-class"),),
        failed(CLASS, CLAIM),
        ("asks for storage class your-storage-class",),
    ),
    Case(
        CLASS,
        "the publisher's own class",
        "vllm-agg",
        (put(_CLAIM, "spec.storageClassName", "dgxc-enterprise-file"),),
        failed(CLASS, CLAIM),
        ("the publisher's own cluster",),
    ),
    Case(
        CLASS,
        "no class, and no default one",
        "vllm-agg",
        (drop(_CLAIM, "spec.storageClassName"),),
        failed(CLASS, CLAIM),
        ("names no storage class",),
    ),
    Case(
        CLASS,
        "a volume that exists already",
        "vllm-agg",
        (put(_CLAIM, "spec.storageClassName", ""), put(_CLAIM, "spec.volumeName", "models")),
    ),
    Case(
        CLASS,
        "a shared volume of a class that makes EBS volumes",
        "trtllm-serve",
        (_EBS_CLASS,),
        failed(CLASS, CLAIM),
        ("asks for ReadWriteMany from storage class shared-files",),
    ),
    Case(
        CLASS,
        "a shared EBS volume without a file system, which several nodes may attach",
        "trtllm-serve",
        (_EBS_CLASS, put(_CLAIM, "spec.volumeMode", "Block")),
    ),
    Case(
        HOLDS,
        "an emptyDir that the model does not fit into",
        "vllm-serve",
        (*_IN_AN_EMPTY_DIRECTORY, put("Deployment", f"{_POD}.volumes[0].emptyDir.sizeLimit", "20Gi")),
        failed(HOLDS, "engine"),
        (
            "downloads openai/gpt-oss-120b into emptyDir model-cache of 20Gi at /opt/models, but its tensors "
            "alone take 65.2 GB: the pod is evicted",
        ),
    ),
    Case(
        HOLDS,
        "an emptyDir that the model fits into",
        "vllm-serve",
        (*_IN_AN_EMPTY_DIRECTORY, put("Deployment", f"{_POD}.volumes[0].emptyDir.sizeLimit", "90Gi")),
    ),
    Case(
        PATH,
        "an offline worker whose cache is an emptyDir that nothing fills",
        "vllm-serve",
        (*_IN_AN_EMPTY_DIRECTORY, variable("Deployment", f"{SERVER}.env", "HF_HUB_OFFLINE", "yes")),
        failed(PATH, "engine"),
        ("looks for it in /opt/models/hub, in emptyDir model-cache, which nothing fills",),
    ),
    Case(
        PATH,
        "an offline worker whose cache an init container fills",
        "vllm-serve",
        (
            *_IN_AN_EMPTY_DIRECTORY,
            variable("Deployment", f"{SERVER}.env", "HF_HUB_OFFLINE", "yes"),
            add("Deployment", f"{_POD}.initContainers", _FILLER),
        ),
    ),
    Case(
        PATH,
        "a download beside the claim",
        "agg-gb200",
        (put("Job/model-download", "spec.template.spec.containers[0].volumeMounts[0].mountPath", "/models"),),
        failed(PATH, "model-download"),
        ("where nothing is mounted, so the model goes with the pod; it mounts model-cache at /models",),
    ),
    Case(
        PATH,
        "vLLM's own server that keeps its model beside the claim",
        "vllm-serve",
        (
            put("Deployment", f"{SERVER}.args[0]", "openai/gpt-oss-120b"),
            drop("Deployment", f"{SERVER}.env[3]"),
            put("Deployment", f"{SERVER}.env[2].value", "/root/.cache/huggingface"),
        ),
        failed(PATH, "engine"),
        ("downloads openai/gpt-oss-120b into /root/.cache/huggingface/hub of its own container",),
    ),
)
