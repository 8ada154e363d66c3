"""What carries KV cache from pod to pod, and what it costs where nothing does."""

from tests.rules.case import TWO_B200, On
from tests.rules.edits import document, put
from tests.rules.kv_edits import (
    BASE,
    BOTH,
    COST,
    DECODE,
    DGD,
    EFA,
    EFA_CLAIM,
    GRAPH,
    HOP,
    PREFILL,
    claimed,
    devices,
    variable,
    with_rdma,
    without_efa,
)

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
    On(HOP, "vllm-agg", "together").fails(
        "both in one pod, of which there are two",
        "hands KV cache from prefill to decode in other pods with no transport",
        document(_TOGETHER + "".join(_SIDE % (role, role) for role in ("prefill", "decode"))),
        pools=TWO_B200,
    ),
    On(HOP, BASE, GRAPH).fails(
        "no device at all",
        ("from Prefill to Decode in other pods with no transport", COST),
        without_efa(*BOTH),
    ),
    On(HOP, BASE, GRAPH).fails(
        "no device for the way that somebody typed",
        "in other pods with no transport",
        without_efa(*BOTH),
        put(DGD, "metadata.annotations", {"dynamo-stack/kv-transport": "efa"}),
    ),
    On(HOP, BASE, GRAPH).fails(
        "a device on one side alone",
        f"no transport: Prefill has efa (1 {EFA}); Decode has no network device",
        without_efa(DECODE),
    ),
    On(HOP, BASE, GRAPH).fails(
        "different devices",
        f"no transport in common: Prefill has efa (1 {EFA}); Decode has rdma (1 rdma/ib)",
        without_efa(DECODE),
        with_rdma(DECODE),
    ),
    On(HOP, BASE, GRAPH).fails(
        "RDMA that UCX may not use",
        ("Prefill has no network device", "UCX_TLS=cuda_copy,cuda_ipc,tcp leaves rdma out"),
        without_efa(*BOTH),
        with_rdma(*BOTH),
        variable("UCX_TLS", "cuda_copy,cuda_ipc,tcp"),
    ),
    On(HOP, BASE).passes("devices of DRANET", without_efa(*BOTH), document(EFA_CLAIM), claimed("efa")),
    On(HOP, BASE, GRAPH).is_undecided(
        "claims that nothing describes",
        "nothing here says what the claim template efa asks for",
        without_efa(*BOTH),
        claimed("efa"),
    ),
    On(HOP, BASE, GRAPH).is_undecided(
        "an amount that is no number",
        f"the amount of {EFA} is 'all', not a whole number",
        devices(EFA, "all", PREFILL),
    ),
)
