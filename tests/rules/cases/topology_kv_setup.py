"""What each transport of the KV cache needs beside its device."""

from tests.rules.case import TWO_GB200, Case, failed, undecided
from tests.rules.edits import Edit, add, drop, put
from tests.rules.kv_edits import (
    BASE,
    BOTH,
    DECODE,
    DEVICES,
    DGD,
    EFA,
    GRAPH,
    ON_GB200,
    ON_NVLINK,
    PREFILL,
    TRTLLM,
    TRTLLM_GRAPH,
    WORKERS,
    main,
    rdma,
)

BANDWIDTH = "kv-transport-devices"
PRIVILEGES = "kv-transport-privileges"
PLACEMENT = "kv-transport-placement"


def interfaces(component: str, number: str) -> tuple[Edit, ...]:
    return tuple(
        put(DGD, main(component, f"resources.{kind}[{EFA}]"), number) for kind in ("requests", "limits")
    )


def security(content: object, *components: str) -> tuple[Edit, ...]:
    return tuple(put(DGD, main(component, "securityContext"), content) for component in components or BOTH)


def capabilities(*names: str, user: int = 0) -> dict[str, object]:
    return {"runAsUser": user, "capabilities": {"add": list(names)}}


def trtllm_affinity(content: object) -> tuple[Edit, ...]:
    return tuple(put(DGD, f"spec.services.{worker}.extraPodSpec.affinity", content) for worker in TRTLLM)


CASES = (
    Case(
        "worker-fits-node",
        "more interfaces than a node has",
        BASE,
        interfaces(DECODE, "16"),
        failed("worker-fits-node", "Decode"),
        ("asks for 16 EFA interfaces in one pod, and a node of its pool (p6-b200.48xlarge) has at most 8",),
    ),
    Case(
        DEVICES,
        "a part of a GB200 node's interfaces",
        BASE,
        (*ON_GB200, *interfaces(PREFILL, "1")),
        failed(DEVICES, "Prefill"),
        (f"asks for 1 of the 4 {EFA} of a node",),
        pools=TWO_GB200,
    ),
    Case(
        DEVICES,
        "the node's own device directory",
        BASE,
        (
            add(
                DGD,
                f"{PREFILL}.podTemplate.spec.volumes",
                {"name": "verbs", "hostPath": {"path": "/dev/infiniband"}},
            ),
        ),
        failed(DEVICES, "Prefill"),
        ("mounts the node's /dev/infiniband (volume verbs)",),
    ),
    Case(
        BANDWIDTH,
        "one interface for four GPUs",
        BASE,
        interfaces(DECODE, "1"),
        failed(BANDWIDTH, "Decode"),
        (f"asks for 1 {EFA} beside 4 GPUs", "share of a p6-b200.48xlarge is 4", "400 of 1,600 Gbit/s"),
    ),
    Case(
        PRIVILEGES,
        "EFA without any privilege",
        BASE,
        security({"allowPrivilegeEscalation": False}),
        failed(PRIVILEGES, *WORKERS),
        (f"moves its KV cache by efa (1 {EFA}) without the capability IPC_LOCK, which guides",),
    ),
    Case(
        PRIVILEGES,
        "RDMA without SYS_RESOURCE, and not as root",
        BASE,
        rdma(*security(capabilities("IPC_LOCK", user=1000), PREFILL)),
        failed(PRIVILEGES, "Prefill"),
        ("without the capability SYS_RESOURCE, runAsUser 0, which guides",),
    ),
    Case(
        PRIVILEGES,
        "NVLink between vLLM pods with less than the one recipe has",
        BASE,
        (*ON_NVLINK, *security({"runAsUser": 1000}, PREFILL)),
        failed(PRIVILEGES, "Prefill"),
        ("without the capability IPC_LOCK, the capability SYS_RESOURCE, runAsUser 0, hostIPC, which",),
        pools=TWO_GB200,
    ),
    Case(
        PLACEMENT,
        "prefill and decode on one node",
        BASE,
        (drop(DGD, f"{PREFILL}.podTemplate.spec.affinity.podAntiAffinity"),),
        failed(PLACEMENT, GRAPH),
        ("nothing keeps Prefill and Decode on different nodes",),
    ),
    Case(
        PLACEMENT,
        "any zone",
        BASE,
        (drop(DGD, f"{DECODE}.podTemplate.spec.affinity"),),
        failed(PLACEMENT, GRAPH),
        ("nothing keeps Decode in the topology.kubernetes.io/zone of the others",),
    ),
    Case(
        PLACEMENT,
        "a compute domain without affinity",
        "disagg-gb200",
        trtllm_affinity({}),
        failed(PLACEMENT, TRTLLM_GRAPH),
        ("nothing keeps TrtllmPrefillWorker, TrtllmDecodeWorker in the nvidia.com/gpu.clique of ",),
    ),
    Case(
        PLACEMENT,
        "a pool of several NVLink domains without affinity",
        "disagg-gb200",
        trtllm_affinity({}),
        failed(PLACEMENT, *TRTLLM, TRTLLM_GRAPH),
        ("has 76 GPUs (19 nodes of p6e-gb200.36xlarge) in NVLink domains of at most 72",),
        pools=(("p6e-gb200.36xlarge", 19),),
    ),
    Case(
        PLACEMENT,
        "a pool of several NVLink domains with affinity",
        "disagg-gb200",
        (),
        pools=(("p6e-gb200.36xlarge", 19),),
    ),
    Case(
        PLACEMENT,
        "nobody knows how large the pool is",
        "disagg-gb200",
        trtllm_affinity({}),
        undecided(PLACEMENT, TRTLLM_GRAPH) | failed(PLACEMENT, TRTLLM_GRAPH),
        (
            "nothing keeps TrtllmPrefillWorker, TrtllmDecodeWorker in the nvidia.com/gpu.clique",
            "nothing says which pool it runs in",
        ),
        pools=(),
    ),
)
