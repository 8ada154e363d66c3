"""Engines that share a pod, and the ports that each of them has or takes from another."""

from tests.rules.case import B200, Case, failed
from tests.rules.edits import Edit, document, put
from tests.rules.serving_edits import GRAPH

PORTS = "engine-ports-unique"
_WORKER = "spec.components[1]"
_MAIN = f"{_WORKER}.podTemplate.spec.containers[0]"
_POD = f"{_WORKER}.podTemplate.spec"
_SIDES = tuple(f"spec.components[{index}].podTemplate.spec" for index in (1, 2))
_HOSTED = tuple(put(GRAPH, f"{side}.hostNetwork", True) for side in _SIDES)
_METRIC = "DYN_FORWARDPASS_METRIC_PORT"
_HANDSHAKE = "VLLM_NIXL_SIDE_CHANNEL_PORT"
_NIXL = '--kv-transfer-config \'{"kv_connector":"NixlConnector","kv_role":"kv_both"}\''
_REVISION = "b5c939de8f754692c1647ca79fbf85e8c1e70f8a"
_MODEL = f"/opt/models/hub/models--openai--gpt-oss-120b/snapshots/{_REVISION}"
_ENGINE = """
        - name: {name}
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.2.1
          command: [python3, -m, dynamo.vllm]
          args:
            - --model={model}
            - --served-model-name=openai/gpt-oss-120b
            - --kv-cache-dtype=fp8
            - --max-model-len=16384
            - --dyn-reasoning-parser=gpt_oss
            - --dyn-tool-call-parser=harmony
          env:
            - {{name: HOME, value: /tmp}}
            - {{name: HF_HOME, value: /opt/models}}
            - {{name: HF_HUB_OFFLINE, value: "1"}}
            - {{name: DYN_SYSTEM_PORT, value: "{port}"}}
          resources:
            requests: {{cpu: "20", memory: 200Gi, nvidia.com/gpu: "1"}}
            limits: {{memory: 200Gi, nvidia.com/gpu: "1"}}
          securityContext: {{allowPrivilegeEscalation: false, capabilities: {{drop: [ALL]}}}}
          volumeMounts: [{{name: model-cache, mountPath: /opt/models}}]"""
_PAIR = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: pair, namespace: gpt-oss}
spec:
  replicas: 1
  strategy: {type: Recreate}
  selector: {matchLabels: {app: pair}}
  template:
    metadata: {labels: {app: pair}}
    spec:
      automountServiceAccountToken: false
      nodeSelector: {kubernetes.io/arch: amd64, nvidia.com/gpu.product: NVIDIA-B200}
      tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]
      securityContext: {runAsNonRoot: true, runAsUser: 1000, seccompProfile: {type: RuntimeDefault}}
      volumes: [{name: model-cache, persistentVolumeClaim: {claimName: model-cache}}]
      containers:"""


def _pair(first: int, second: int) -> Edit:
    """A pod of two engines, each with its system port."""
    ports = {"first": first, "second": second}
    engines = [_ENGINE.format(name=name, model=_MODEL, port=port) for name, port in ports.items()]
    return document(_PAIR + "".join(engines))


def _both(first: str, second: str, options: str = "") -> tuple[Edit, ...]:
    """The graph's worker starts two engines, each with variables of its own."""
    start = f"python3 -m dynamo.vllm --model openai/gpt-oss-120b {options}"
    script = f"{first} {start} &\n{second} {start} &\nwait"
    return (put(GRAPH, f"{_MAIN}.command", ["/bin/sh", "-c"]), put(GRAPH, f"{_MAIN}.args", [script]))


CASES = (
    Case(
        PORTS,
        "two engines of a worker whose port is the operator's",
        "vllm-agg",
        _both("DYN_SYSTEM_PORT=9091", "DYN_SYSTEM_PORT=9092"),
        failed(PORTS, "VllmWorker"),
        (f"2 engines of one pod have {_METRIC} 20380: dynamo.vllm in VllmWorker, dynamo.vllm in VllmWorker",),
    ),
    Case(
        PORTS,
        "two engines with ports of their own, and one handshake",
        "vllm-agg",
        _both(f"{_METRIC}=20380", f"{_METRIC}=20480", _NIXL),
        failed(PORTS, "VllmWorker"),
        (f"2 engines of one pod have {_HANDSHAKE} 5600",),
    ),
    Case(
        PORTS,
        "two engines with all ports of their own",
        "vllm-agg",
        _both(f"{_METRIC}=20380", f"{_METRIC}=20480 {_HANDSHAKE}=5700", _NIXL),
        frozenset(),
    ),
    Case(
        PORTS,
        "two engines of which one has a scheduler that a person chose",
        "vllm-agg",
        (
            *_both("", ""),
            put(
                GRAPH,
                f"{_MAIN}.args",
                ["python3 -m dynamo.vllm --model m & python3 -m dynamo.vllm --scheduler-cls mine --model m"],
            ),
        ),
        frozenset(),
    ),
    Case(
        PORTS,
        "two engines outside a graph, where no operator gives a port",
        "vllm-agg",
        (_pair(9090, 9091),),
        frozenset(),
    ),
    Case(
        PORTS,
        "more workers on the network of their nodes than there are nodes",
        "vllm-agg",
        (put(GRAPH, f"{_POD}.hostNetwork", True),),
        failed(PORTS, "VllmWorker"),
        (
            "8 pods share the network of their nodes (hostNetwork) and have port 9090, "
            "of which each node of pool p6-b200.48xlarge (1 x",
        ),
    ),
    Case(
        PORTS,
        "prefill and decode on the network of nodes that nobody names",
        "vllm-disagg-efa",
        _HOSTED,
        failed(PORTS, "Prefill, Decode"),
        ("and have port 9090, of which a node takes one",),
        pools=(),
    ),
    Case(
        PORTS,
        "prefill and decode on the network of one node",
        "vllm-disagg-efa",
        _HOSTED,
        failed(PORTS, "Prefill, Decode"),
        ("2 pods share the network of their nodes", "of which each node of pool"),
        pools=B200,
    ),
    Case(
        PORTS,
        "prefill and decode on the network of their nodes, each with a port of its own",
        "vllm-disagg-efa",
        (
            *_HOSTED,
            put(GRAPH, f"{_SIDES[1]}.containers[0].ports", [{"name": "system", "containerPort": 9091}]),
        ),
        frozenset(),
        pools=B200,
    ),
)
