"""What carries KV cache from pod to pod, and what it costs where nothing does."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import document, put
from tests.rules.exports import resource
from tests.rules.kv_edits import (
    BASE,
    BOTH,
    COST,
    DECODE,
    DEVICES,
    DGD,
    EFA,
    EFA_CLAIM,
    GRAPH,
    HOP,
    POSSIBLE,
    PREFILL,
    PROVEN,
    WORKERS,
    claimed,
    main,
    undecided_for_each,
    variable,
    with_rdma,
    without_efa,
)

OF_A_HOP = (
    HOP,
    POSSIBLE,
    PROVEN,
    "kv-transport-bandwidth",
    "kv-transport-pins-memory",
    "kv-transport-privileges",
    "kv-transport-placement",
    "kv-transport-in-one-clique",
    "kv-transport-settings",
    "nvlink-setting-fits-transport",
)
"""Rules that look at each hop."""
CASES = (
    Case(
        HOP,
        "no device at all",
        BASE,
        without_efa(*BOTH),
        failed(HOP, GRAPH),
        ("from Prefill to Decode in other pods with no transport", COST),
    ),
    Case(
        HOP,
        "a device on one side alone",
        BASE,
        without_efa(DECODE),
        failed(HOP, GRAPH),
        (f"Prefill has efa (1 {EFA}); Decode has no network device",),
    ),
    Case(
        HOP,
        "different devices",
        BASE,
        (*without_efa(DECODE), *with_rdma(DECODE)),
        failed(HOP, GRAPH),
        (f"no transport in common: Prefill has efa (1 {EFA}); Decode has rdma (1 rdma/ib)",),
    ),
    Case(
        HOP,
        "RDMA that UCX may not use",
        BASE,
        (*without_efa(*BOTH), *with_rdma(*BOTH), *variable("UCX_TLS", "cuda_copy,cuda_ipc,tcp")),
        failed(HOP, GRAPH),
        ("Prefill has no network device", "UCX_TLS=cuda_copy,cuda_ipc,tcp leaves rdma out"),
    ),
    Case(
        HOP,
        "RDMA that UCX is kept from",
        BASE,
        (*without_efa(*BOTH), *with_rdma(*BOTH), *variable("UCX_TLS", "^ib", PREFILL)),
        failed(HOP, GRAPH),
        ("UCX_TLS=^ib leaves rdma out; Decode has rdma (1 rdma/ib)",),
    ),
    Case(
        HOP,
        "RDMA with a list that leaves it in",
        BASE,
        (*without_efa(*BOTH), *with_rdma(*BOTH), *variable("UCX_TLS", "^cuda_ipc")),
        frozenset(),
    ),
    Case(
        HOP,
        "a cache of bf16 costs twice as much",
        BASE,
        (*without_efa(*BOTH), *(put(DGD, main(each, "args[5]"), "--kv-cache-dtype=auto") for each in BOTH)),
        failed(HOP, GRAPH),
        ("603,979,776 bytes of KV cache (gpt-oss-120b, bfloat16): 0.193 s",),
    ),
    Case(
        HOP,
        "a model that nobody knows",
        BASE,
        (
            *without_efa(*BOTH),
            put(DGD, main(PREFILL, "args[0]"), "--model=/opt/models/other"),
            put(DGD, main(PREFILL, "args[1]"), "--served-model-name=other"),
        ),
        failed(HOP, GRAPH)
        | failed("served-name-equal", "Prefill, Decode")
        | undecided("one-sequence-fits", "Prefill")
        | undecided("full-concurrency-fits", "Prefill"),
        ("how many bytes that are is not known: Prefill names no model",),
    ),
    Case(
        HOP,
        "devices of DRANET",
        BASE,
        (*without_efa(*BOTH), document(EFA_CLAIM), *claimed("efa")),
        frozenset(),
    ),
    Case(
        HOP,
        "claims that nothing describes",
        BASE,
        (*without_efa(*BOTH), *claimed("efa")),
        undecided(HOP, GRAPH)
        | undecided(POSSIBLE, GRAPH)
        | undecided(PROVEN, GRAPH)
        | undecided("one-gpu-allocator", *WORKERS)
        | undecided("compute-domain-claims", *WORKERS)
        | undecided("one-claim-per-tray", *WORKERS)
        | undecided("compute-domain-has-a-fabric", *WORKERS),
        ("nothing here says what the claim template efa asks for",),
    ),
    Case(
        HOP,
        "an amount that is no number",
        BASE,
        tuple(put(DGD, main(PREFILL, f"resources.{kind}[{EFA}]"), "all") for kind in ("requests", "limits")),
        undecided_for_each(OF_A_HOP, GRAPH) | undecided(DEVICES, "Prefill"),
        (f"the amount of {EFA} is 'all', not a whole number",),
    ),
    Case(
        HOP,
        "a stack in which nobody typed TCP",
        "disagg-b200-state",
        (resource("components:DynamoGraph/gpt-oss-disagg", "inputs.kvTransport.typed", value=False),),
        failed(HOP, "gpt-oss-disagg"),
        ("nobody typed TCP", COST),
    ),
)
