"""Names of claims, Secrets, volumes and claim templates that lead nowhere."""

from tests.rules.case import On
from tests.rules.edits import add, document, put
from tests.rules.names import GRAPH, VLLM_POD, WORKER
from tests.rules.serving_edits import of_service

NAMES = "named-objects-exist"
_FRONTEND_VOLUME = "spec.components[0].podTemplate.spec.volumes[0]"
_SECRET = "{apiVersion: v1, kind: Secret, metadata: {name: hf-tokens, namespace: gpt-oss}}"

CASES = (
    On(NAMES, "vllm-agg", "VllmWorker").advises(
        "a Secret under nearly that name",
        "names Secret hf-token; what was read makes hf-tokens and no hf-token",
        add(GRAPH, f"{VLLM_POD}.containers[0].envFrom", {"secretRef": {"name": "hf-token"}}),
        document(_SECRET),
    ),
    On(NAMES, "agg-gb200", "TrtllmWorker").advises(
        "a claim of a service that the graph lists under nearly its name",
        "its service mounts gpt-oss-model-cache; pvcs of the graph lists gpt-oss-model-cach",
        put(GRAPH, "spec.pvcs", [{"name": "gpt-oss-model-cach", "create": False}]),
        of_service(WORKER, "volumeMounts", [{"name": "gpt-oss-model-cache", "mountPoint": "/x"}]),
    ),
    On(NAMES, "vllm-agg").passes(
        "one of several claims that a letter tells apart",
        put("PersistentVolumeClaim", "metadata.name", "model-cache-a"),
        put(GRAPH, f"{_FRONTEND_VOLUME}.persistentVolumeClaim.claimName", "model-cache-a"),
        put(GRAPH, f"{VLLM_POD}.volumes[0].persistentVolumeClaim.claimName", "model-cache-b"),
    ),
    On(NAMES, "vllm-agg", "VllmWorker").fails(
        "a mount of a volume that neither the pod nor the graph has",
        "container main mounts volume weights; the pod and the graph have model-cache, shared-memory",
        put(GRAPH, "spec.components[1].podTemplate.spec.containers[0].volumeMounts[0].name", "weights"),
    ),
)
