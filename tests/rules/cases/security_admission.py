"""NetworkPolicies, and the ports and the hub that pods need."""

from tests.rules.case import Case, failed
from tests.rules.edits import Edit, document, put, variable
from tests.rules.serving_edits import SERVER

ADMIT = "network-policies-admit"
_OF_THE_SERVER = "{matchLabels: {app.kubernetes.io/name: vllm-serve}}"
_GRAPH_LABEL = "nvidia.com/dynamo-graph-deployment-name"
_OF_THE_GRAPH = f"{{matchLabels: {{{_GRAPH_LABEL}: gpt-oss-vllm}}}}"
_OF_THE_FRONTEND = (
    f"{{matchLabels: {{{_GRAPH_LABEL}: gpt-oss-vllm, nvidia.com/dynamo-component-type: frontend}}}}"
)
_FROM_THE_HUB = (
    put("Deployment", f"{SERVER}.args[0]", "openai/gpt-oss-120b"),
    variable("Deployment", f"{SERVER}.env", "HF_HUB_OFFLINE", None),
)


def _policy(rules: str, selector: str = _OF_THE_SERVER, name: str = "door") -> Edit:
    return document(f"""
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {{name: {name}, namespace: gpt-oss}}
spec: {{podSelector: {selector}, {rules}}}
""")


CASES = (
    Case(
        ADMIT,
        "a port by a name that no container declares",
        "vllm-serve",
        (_policy("ingress: [{ports: [{port: web}]}]"),),
        failed(ADMIT, "door"),
        ("admits port web to vllm-serve, which listens on 8000",),
    ),
    Case(
        ADMIT,
        "a port of nothing, beside a policy that admits the server's",
        "vllm-serve",
        (
            _policy("ingress: [{ports: [{port: 9400}]}]"),
            _policy("ingress: [{ports: [{port: 7000, endPort: 9000}]}]", name="other"),
        ),
    ),
    Case(
        ADMIT,
        "another port than the frontend's, which its own graph may reach at any",
        "vllm-agg",
        (
            _policy("ingress: [{from: [{podSelector: {}}], ports: [{port: 8081}]}]", _OF_THE_FRONTEND),
            _policy(f"ingress: [{{from: [{{podSelector: {_OF_THE_GRAPH}}}]}}]", _OF_THE_GRAPH, "graph"),
        ),
        failed(ADMIT, "door"),
        ("admits port 8081 to Frontend, which listens on 8000",),
    ),
    Case(
        ADMIT,
        "no way out for a server that asks the hub for its model",
        "vllm-serve",
        (
            *_FROM_THE_HUB,
            put("Deployment", "spec.template.spec.volumes[0]", {"name": "model-cache", "emptyDir": {}}),
            _policy("policyTypes: [Ingress, Egress], ingress: [{}]"),
        ),
        failed(ADMIT, "engine"),
        ("downloads openai/gpt-oss-120b, and may send nothing, not even ask for a name: NetworkPolicy door",),
    ),
    Case(
        ADMIT,
        "no way out in one of two policies",
        "vllm-serve",
        (
            *_FROM_THE_HUB,
            _policy("policyTypes: [Ingress, Egress], ingress: [{}]"),
            _policy("policyTypes: [Egress], egress: [{}]", "{}", "out"),
        ),
    ),
    Case(
        ADMIT,
        "the port of a mesh, through which requests come in",
        "vllm-serve",
        (_policy("ingress: [{ports: [{port: 15008}]}]"),),
    ),
    Case(
        ADMIT,
        "policies of Cilium beside Kubernetes' own",
        "vllm-serve",
        (
            *_FROM_THE_HUB,
            _policy("policyTypes: [Ingress, Egress], ingress: [{ports: [{port: 80}]}]"),
            document("{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {name: more}}"),
        ),
    ),
    Case(
        ADMIT,
        "no way out for a server that may find its model on a claim",
        "vllm-serve",
        (*_FROM_THE_HUB, _policy("policyTypes: [Egress]")),
        failed(ADMIT, "engine"),
        ("downloads openai/gpt-oss-120b, and may send nothing",),
    ),
)
