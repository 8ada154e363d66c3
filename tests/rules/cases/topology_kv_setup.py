"""What each transport of the KV cache needs beside its device."""

from tests.rules.case import B200, H200, TWO_GB200, On
from tests.rules.edits import Edit, add, drop, put
from tests.rules.kv_edits import (
    BASE,
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
    devices,
    mains,
    rdma,
)

PRIVILEGES = "kv-transport-privileges"
PLACEMENT = "kv-transport-placement"


def interfaces(component: str, number: str) -> tuple[Edit, ...]:
    return devices(EFA, number, component)


def security(content: object, *components: str) -> tuple[Edit, ...]:
    return mains("securityContext", content, *components)


def capabilities(*names: str, user: int = 0) -> dict[str, object]:
    return {"runAsUser": user, "capabilities": {"add": list(names)}}


def trtllm_affinity(content: object) -> tuple[Edit, ...]:
    return tuple(put(DGD, f"spec.services.{worker}.extraPodSpec.affinity", content) for worker in TRTLLM)


_ANYWHERE = drop(DGD, f"{PREFILL}.podTemplate.spec.affinity.podAntiAffinity")

CASES = (
    On("worker-fits-node", BASE, "Decode").fails(
        "more interfaces than a node has",
        "asks for 16 EFA interfaces in one pod, and a node of its pool (p6-b200.48xlarge) has at most 8",
        interfaces(DECODE, "16"),
    ),
    On(DEVICES, BASE, "Prefill").fails(
        "a part of a GB200 node's interfaces",
        f"asks for 1 of the 4 {EFA} of a node",
        ON_GB200,
        interfaces(PREFILL, "1"),
        pools=TWO_GB200,
    ),
    On(DEVICES, BASE, "Prefill").fails(
        "the node's own device directory",
        "mounts the node's /dev/infiniband (volume verbs)",
        add(
            DGD,
            f"{PREFILL}.podTemplate.spec.volumes",
            {"name": "verbs", "hostPath": {"path": "/dev/infiniband"}},
        ),
    ),
    On(DEVICES, BASE, "Decode").advises(
        "one interface for four GPUs",
        (f"asks for 1 {EFA} beside 4 GPUs", "share of a p6-b200.48xlarge is 4", "400 of 1,600 Gbit/s"),
        interfaces(DECODE, "1"),
    ),
    On(PRIVILEGES, BASE, *WORKERS).fails(
        "EFA without any privilege",
        f"moves its KV cache by efa (1 {EFA}) without the capability IPC_LOCK, which guides",
        security({"allowPrivilegeEscalation": False}),
    ),
    On(PRIVILEGES, BASE, "Prefill").fails(
        "RDMA without SYS_RESOURCE, and not as root",
        "without the capability SYS_RESOURCE, runAsUser 0, which guides",
        rdma(*security(capabilities("IPC_LOCK", user=1000), PREFILL)),
    ),
    On(PRIVILEGES, BASE, "Prefill").fails(
        "NVLink between vLLM pods with less than the one recipe has",
        "without the capability IPC_LOCK, the capability SYS_RESOURCE, runAsUser 0, hostIPC, which",
        ON_NVLINK,
        security({"runAsUser": 1000}, PREFILL),
        pools=TWO_GB200,
    ),
    On(PLACEMENT, BASE, GRAPH).advises(
        "prefill and decode on one node",
        "nothing keeps Prefill and Decode on different nodes",
        _ANYWHERE,
    ),
    On(PLACEMENT, BASE, GRAPH).advises(
        "prefill and decode on nodes that nobody names",
        "nothing keeps Prefill and Decode on different nodes",
        _ANYWHERE,
        pools=(),
    ),
    *(
        On(PLACEMENT, BASE).passes(name, _ANYWHERE, edits, pools=(*B200, *H200))
        for name, edits in (
            ("prefill and decode that one node has no room for", devices("nvidia.com/gpu", "8", DECODE)),
            (
                "prefill and decode on nodes of two kinds",
                put(DGD, f"{PREFILL}.podTemplate.spec.nodeSelector[nvidia.com/gpu.product]", "NVIDIA-H200"),
            ),
        )
    ),
    On(PLACEMENT, BASE).passes(
        "prefill and decode on nodes whose interfaces one pod takes", _ANYWHERE, ON_GB200, pools=TWO_GB200
    ),
    On(PLACEMENT, BASE, GRAPH).advises(
        "any zone",
        "nothing keeps Decode in the topology.kubernetes.io/zone of the others",
        drop(DGD, f"{DECODE}.podTemplate.spec.affinity"),
    ),
    On(PLACEMENT, "disagg-gb200", TRTLLM_GRAPH).advises(
        "a compute domain without affinity",
        "nothing keeps TrtllmPrefillWorker, TrtllmDecodeWorker in the nvidia.com/gpu.clique of ",
        trtllm_affinity({}),
    ),
    On(PLACEMENT, "disagg-gb200", *TRTLLM, TRTLLM_GRAPH).fails(
        "a pool of several NVLink domains without affinity",
        "has 76 GPUs (19 nodes of p6e-gb200.36xlarge) in NVLink domains of at most 72",
        trtllm_affinity({}),
        pools=(("p6e-gb200.36xlarge", 19),),
        advises=(TRTLLM_GRAPH,),
    ),
    On(PLACEMENT, "disagg-gb200").passes(
        "a pool of several NVLink domains with affinity", pools=(("p6e-gb200.36xlarge", 19),)
    ),
    On(PLACEMENT, "disagg-gb200", TRTLLM_GRAPH).advises(
        "nobody knows how large the pool is",
        (
            "nothing keeps TrtllmPrefillWorker, TrtllmDecodeWorker in the nvidia.com/gpu.clique",
            "nothing says which pool it runs in",
        ),
        trtllm_affinity({}),
        pools=(),
        undecided_for=(TRTLLM_GRAPH,),
    ),
)
