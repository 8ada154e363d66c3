"""Edits of the base `vllm-disagg-efa`, whose workers hand KV cache over by EFA."""

from tests.rules.edits import Edit, document, drop, put

HOP = "kv-hop-has-a-transport"
PROVEN = "kv-transport-proven"
DEVICES = "kv-transport-devices"

BASE, GRAPH = "vllm-disagg-efa", "gpt-oss-efa"
DGD = "DynamoGraphDeployment"
EFA = "vpc.amazonaws.com/efa"
WORKERS = ("Prefill", "Decode")
TRTLLM_GRAPH, TRTLLM = "gpt-oss-disagg", ("TrtllmPrefillWorker", "TrtllmDecodeWorker")
"""Of the shipped stacks."""
PREFILL, DECODE = "spec.components[1]", "spec.components[2]"
BOTH = (PREFILL, DECODE)


def main(component: str, path: str) -> str:
    return f"{component}.podTemplate.spec.containers[0].{path}"


def mains(path: str, value: object, *components: str) -> tuple[Edit, ...]:
    """Set a field of the main containers of these workers, or of both."""
    return tuple(put(DGD, main(component, path), value) for component in components or BOTH)


def devices(name: str, amount: str | None, *components: str) -> tuple[Edit, ...]:
    """Ask for so many devices of a name in these workers, or for none."""
    paths = [f"resources.{kind}[{name}]" for kind in ("requests", "limits")]
    places = [main(component, path) for component in components for path in paths]
    return tuple(drop(DGD, place) if amount is None else put(DGD, place, amount) for place in places)


def without_efa(*components: str) -> tuple[Edit, ...]:
    return devices(EFA, None, *components)


def with_rdma(*components: str) -> tuple[Edit, ...]:
    return devices("rdma/ib", "1", *components)


def rdma(*edits: Edit) -> tuple[Edit, ...]:
    """RDMA devices in place of EFA's, and these edits."""
    return (*without_efa(*BOTH), *with_rdma(*BOTH), *edits)


def variable(name: str, value: str, *components: str) -> tuple[Edit, ...]:
    """In place of the first variable, HOME, of which no rule takes notice."""
    return mains("env[0]", {"name": name, "value": value}, *components)


def connector(*components: str, config: str) -> tuple[Edit, ...]:
    return mains("args[3]", f"--kv-transfer-config={config}", *components)


EFA_CLAIM = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: efa, namespace: gpt-oss}
spec: {spec: {devices: {requests: [{name: efa, exactly: {deviceClassName: efa.networking.k8s.aws}}]}}}
"""


def claimed(template: str) -> tuple[Edit, ...]:
    claims = [{"name": "device", "resourceClaimTemplateName": template}]
    pods = (put(DGD, f"{component}.podTemplate.spec.resourceClaims", claims) for component in BOTH)
    return (*pods, *mains("resources.claims", [{"name": "device"}]))


_TRAYS = tuple(
    put(DGD, f"{component}.podTemplate.spec.nodeSelector[{key}]", value)
    for component in BOTH
    for key, value in (("kubernetes.io/arch", "arm64"), ("nvidia.com/gpu.product", "NVIDIA-GB200"))
)

ON_GB200 = (*_TRAYS, *variable("UCX_CUDA_IPC_ENABLE_MNNVL", "n"), *devices(EFA, "4", PREFILL))
"""Each worker on a tray, with all of its EFA interfaces."""


def image(tag: str) -> tuple[Edit, ...]:
    return mains("image", f"nvcr.io/nvidia/ai-dynamo/vllm-runtime:{tag}")


def _affinity(component: str) -> Edit:
    selector = {
        "matchLabels": {"nvidia.com/dynamo-graph-deployment-name": GRAPH},
        "matchExpressions": [
            {"key": "nvidia.com/dynamo-component-type", "operator": "In", "values": ["prefill", "decode"]}
        ],
    }
    term = {"topologyKey": "nvidia.com/gpu.clique", "labelSelector": selector}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    return put(DGD, f"{component}.podTemplate.spec.affinity", affinity)


COMPUTE_DOMAIN = """
apiVersion: resource.nvidia.com/v1beta1
kind: ComputeDomain
metadata: {name: domain, namespace: gpt-oss}
spec: {numNodes: 0, channel: {resourceClaimTemplate: {name: channel}}}
"""

ON_NVLINK = (
    *_TRAYS,
    *without_efa(*BOTH),
    document(COMPUTE_DOMAIN),
    *claimed("channel"),
    *(_affinity(component) for component in BOTH),
)
"""Each worker on a tray of one NVLink domain, with a channel of one compute domain."""

COST = (
    "a prompt of 8,192 tokens is 301,989,888 bytes of KV cache (gpt-oss-120b, fp8): 0.097 s between "
    "machines on a pod network of 25 Gbit/s, so at most 10.3 prompts a second, 2.1 over one TCP flow of 5 "
    "Gbit/s"
)
