"""What carries KV cache from pod to pod, and what it costs where nothing does."""

from tests.rules import kv_edits as kv
from tests.rules.case import TWO_B200, On
from tests.rules.edits import document, put

_TOGETHER = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: together, namespace: gpt-oss}
spec:
  replicas: 2
  template:
    spec:
      nodeSelector: {kubernetes.io/arch: amd64, nvidia.com/gpu.product: NVIDIA-B200}
      containers:
"""
_SIDE = """
        - name: %s
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.2.1
          command: [python3, -m, dynamo.vllm]
          args:
            - --model=Qwen/Qwen3-0.6B
            - --disaggregation-mode=%s
            - '--kv-transfer-config={"kv_connector":"NixlConnector","kv_role":"kv_both"}'
          resources: {limits: {nvidia.com/gpu: "1"}}
"""

CASES = (
    On(kv.HOP, "vllm-agg", "together").fails(
        "both in one pod, of which there are two",
        "hands KV cache from prefill to decode in other pods with no transport",
        document(_TOGETHER + "".join(_SIDE % (role, role) for role in ("prefill", "decode"))),
        pools=TWO_B200,
    ),
    On(kv.HOP, kv.BASE, kv.GRAPH).fails(
        "no device at all", ("to Decode in other pods with no transport", kv.COST), kv.without_efa(*kv.BOTH)
    ),
    On(kv.HOP, kv.BASE, kv.GRAPH).fails(
        "no device for the way that somebody typed",
        "in other pods with no transport",
        kv.without_efa(*kv.BOTH),
        put(kv.DGD, "metadata.annotations", {"dynamo-stack/kv-transport": "efa"}),
    ),
    On(kv.HOP, kv.BASE, kv.GRAPH).fails(
        "a device on one side alone",
        f"no transport: Prefill has efa (1 {kv.EFA}); Decode has no network device",
        kv.without_efa(kv.DECODE),
    ),
    On(kv.HOP, kv.BASE, kv.GRAPH).fails(
        "different devices",
        f"no transport in common: Prefill has efa (1 {kv.EFA}); Decode has rdma (1 rdma/ib)",
        kv.without_efa(kv.DECODE),
        kv.with_rdma(kv.DECODE),
    ),
    On(kv.HOP, kv.BASE, kv.GRAPH).fails(
        "RDMA that UCX may not use",
        ("Prefill has no network device", "UCX_TLS=cuda_copy,cuda_ipc,tcp leaves rdma out"),
        kv.without_efa(*kv.BOTH),
        kv.with_rdma(*kv.BOTH),
        kv.variable("UCX_TLS", "cuda_copy,cuda_ipc,tcp"),
    ),
    On(kv.HOP, kv.BASE).passes(
        "devices of DRANET", kv.without_efa(*kv.BOTH), document(kv.EFA_CLAIM), kv.claimed("efa")
    ),
    On(kv.HOP, kv.BASE, kv.GRAPH).is_undecided(
        "claims that nothing describes",
        "nothing here says what the claim template efa asks for",
        kv.without_efa(*kv.BOTH),
        kv.claimed("efa"),
    ),
    On(kv.HOP, kv.BASE, kv.GRAPH).is_undecided(
        "an amount that is no number",
        f"the amount of {kv.EFA} is 'all', not a whole number",
        kv.devices(kv.EFA, "all", kv.PREFILL),
    ),
)
