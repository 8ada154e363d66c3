"""Names of claims, Secrets, volumes and claim templates that lead nowhere."""

from tests.rules.case import Case, failed
from tests.rules.edits import add, document, drop, put
from tests.rules.serving_edits import DECODE, GRAPH, PREFILL, VLLM_POD

NAMES = "named-objects-exist"
_FRONTEND = "spec.components[0].podTemplate.spec"
_SECRET = (
    "{apiVersion: v1, kind: Secret, metadata: {name: hf-tokens, namespace: gpt-oss}, stringData: {a: b}}"
)
_HASHED = "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: engine-{ending}, namespace: gpt-oss}}}}"
_POD = "spec.template.spec"

CASES = (
    Case(
        NAMES,
        "a Secret under nearly that name",
        "vllm-agg",
        (
            add(GRAPH, f"{VLLM_POD}.containers[0].envFrom", {"secretRef": {"name": "hf-token"}}),
            document(_SECRET),
        ),
        failed(NAMES, "VllmWorker"),
        ("names Secret hf-token; what was read makes hf-tokens and no hf-token",),
    ),
    Case(
        NAMES,
        "a Secret in a namespace by name, beside pods of whichever namespace",
        "vllm-serve",
        (
            drop("Deployment", "metadata.namespace"),
            drop("PersistentVolumeClaim", "metadata.namespace"),
            add("Deployment", f"{_POD}.containers[0].envFrom", {"secretRef": {"name": "hf-tokens"}}),
            document(_SECRET),
        ),
        failed(NAMES, "vllm-serve"),
        ("names Secret hf-tokens, which is made in namespace gpt-oss, while nothing says that its pods run",),
    ),
    Case(
        NAMES,
        "a ConfigMap without the ending that its maker gave it",
        "vllm-agg",
        (
            add(GRAPH, f"{VLLM_POD}.volumes", {"name": "engine", "configMap": {"name": "engine"}}),
            document(_HASHED.format(ending="2a3cc2daa0")),
        ),
        failed(NAMES, "VllmWorker"),
        ("names ConfigMap engine; what was read makes engine-2a3cc2daa0 and no engine",),
    ),
    Case(
        NAMES,
        "a claim in another namespace",
        "vllm-agg",
        (put("PersistentVolumeClaim", "metadata.namespace", "other"),),
        failed(NAMES, "VllmWorker", "Frontend"),
        ("names PersistentVolumeClaim model-cache, which is made in namespace other",),
    ),
    Case(
        NAMES,
        "a claim template that no compute domain makes",
        "disagg-gb200",
        (
            put(
                GRAPH,
                f"spec.services.{PREFILL}.extraPodSpec.resourceClaims[0].resourceClaimTemplateName",
                "no-such-channel",
            ),
            put(
                GRAPH,
                f"spec.services.{DECODE}.extraPodSpec.resourceClaims[0].resourceClaimTemplateName",
                "no-such-channel",
            ),
        ),
        failed(NAMES, PREFILL, DECODE),
        ("names ResourceClaimTemplate no-such-channel; what was read makes",),
    ),
    Case(
        NAMES,
        "a claim of a service that the graph lists under nearly its name",
        "agg-gb200",
        (
            put(GRAPH, "spec.pvcs", [{"name": "gpt-oss-model-cach", "create": False}]),
            put(
                GRAPH,
                "spec.services.TrtllmWorker.volumeMounts",
                [{"name": "gpt-oss-model-cache", "mountPoint": "/x"}],
            ),
        ),
        failed(NAMES, "TrtllmWorker"),
        ("its service mounts gpt-oss-model-cache; pvcs of the graph lists gpt-oss-model-cach",),
    ),
    Case(
        NAMES,
        "one of several claims that a letter tells apart",
        "vllm-agg",
        (
            put("PersistentVolumeClaim", "metadata.name", "model-cache-a"),
            put(GRAPH, f"{_FRONTEND}.volumes[0].persistentVolumeClaim.claimName", "model-cache-a"),
            put(GRAPH, f"{VLLM_POD}.volumes[0].persistentVolumeClaim.claimName", "model-cache-b"),
        ),
    ),
    Case(
        NAMES,
        "a mount of a volume that neither the pod nor the graph has",
        "vllm-agg",
        (put(GRAPH, "spec.components[1].podTemplate.spec.containers[0].volumeMounts[0].name", "weights"),),
        failed(NAMES, "VllmWorker"),
        ("container main mounts volume weights; the pod and the graph have model-cache, shared-memory",),
    ),
)
