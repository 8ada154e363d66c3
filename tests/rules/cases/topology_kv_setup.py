"""What each transport of the KV cache needs beside its device."""

from tests.rules import kv_edits as kv
from tests.rules.case import B200, H200, TWO_GB200, On
from tests.rules.edits import Edit, add, drop, put
from tests.rules.names import VLLM_POD

PRIVILEGES = "kv-transport-privileges"
PLACEMENT = "kv-transport-placement"


def interfaces(component: str, number: str) -> tuple[Edit, ...]:
    return kv.devices(kv.EFA, number, component)


def security(content: object, *components: str) -> tuple[Edit, ...]:
    return kv.mains("securityContext", content, *components)


def capabilities(*names: str, user: int = 0) -> dict[str, object]:
    return {"runAsUser": user, "capabilities": {"add": list(names)}}


def trtllm_affinity(content: object) -> tuple[Edit, ...]:
    return tuple(
        put(kv.DGD, f"spec.services.{worker}.extraPodSpec.affinity", content) for worker in kv.TRTLLM
    )


_ANYWHERE = drop(kv.DGD, f"{kv.PREFILL}.podTemplate.spec.affinity.podAntiAffinity")

CASES = (
    On("worker-fits-node", kv.BASE, "Decode").fails(
        "more interfaces than a node has",
        "asks for 16 EFA interfaces in one pod, and a node of its pool (p6-b200.48xlarge) has at most 8",
        interfaces(kv.DECODE, "16"),
    ),
    On(kv.DEVICES, kv.BASE, "Prefill").fails(
        "a part of a GB200 node's interfaces",
        f"asks for 1 of the 4 {kv.EFA} of a node",
        kv.ON_GB200,
        interfaces(kv.PREFILL, "1"),
        pools=TWO_GB200,
    ),
    On(kv.DEVICES, kv.BASE, "Prefill", "Decode").fails(
        "the node's own device directory, and one interface for four GPUs",
        "mounts the node's /dev/infiniband (volume verbs)",
        add(kv.DGD, f"{VLLM_POD}.volumes", {"name": "verbs", "hostPath": {"path": "/dev/infiniband"}}),
        f"asks for 1 {kv.EFA} beside 4 GPUs",
        "share of a p6-b200.48xlarge is 4",
        "400 of 1,600 Gbit/s",
        interfaces(kv.DECODE, "1"),
        advises=("Decode",),
    ),
    On(PRIVILEGES, kv.BASE, *kv.WORKERS).fails(
        "EFA without any privilege",
        f"moves its KV cache by efa (1 {kv.EFA}) without the capability IPC_LOCK, which guides",
        security({"allowPrivilegeEscalation": False}),
    ),
    On(PRIVILEGES, kv.BASE, "Prefill").fails(
        "RDMA without SYS_RESOURCE, and not as root",
        "without the capability SYS_RESOURCE, runAsUser 0, which guides",
        kv.rdma(*security(capabilities("IPC_LOCK", user=1000), kv.PREFILL)),
    ),
    On(PRIVILEGES, kv.BASE, "Prefill").fails(
        "NVLink between vLLM pods with less than the one recipe has",
        "without the capability IPC_LOCK, the capability SYS_RESOURCE, runAsUser 0, hostIPC, which",
        kv.ON_NVLINK,
        security({"runAsUser": 1000}, kv.PREFILL),
        pools=TWO_GB200,
    ),
    On(PLACEMENT, kv.BASE, kv.GRAPH).advises(
        "prefill and decode on one node, and in any zone",
        "nothing keeps Prefill and Decode on different nodes",
        _ANYWHERE,
        "nothing keeps Decode in the topology.kubernetes.io/zone of the others",
        drop(kv.DGD, f"{kv.DECODE}.podTemplate.spec.affinity"),
    ),
    On(PLACEMENT, kv.BASE, kv.GRAPH).advises(
        "prefill and decode on nodes that nobody names",
        "nothing keeps Prefill and Decode on different nodes",
        _ANYWHERE,
        pools=(),
    ),
    *(
        On(PLACEMENT, kv.BASE).passes(name, _ANYWHERE, edits, pools=(*B200, *H200))
        for name, edits in (
            ("prefill and decode that no node has room for", kv.devices("nvidia.com/gpu", "8", kv.DECODE)),
            (
                "prefill and decode on nodes of two kinds",
                put(kv.DGD, f"{VLLM_POD}.nodeSelector[nvidia.com/gpu.product]", "NVIDIA-H200"),
            ),
        )
    ),
    On(PLACEMENT, kv.BASE).passes(
        "prefill and decode on nodes whose interfaces one pod takes", _ANYWHERE, kv.ON_GB200, pools=TWO_GB200
    ),
    On(PLACEMENT, "disagg-gb200", kv.TRTLLM_GRAPH).advises(
        "a compute domain without affinity",
        "nothing keeps TrtllmPrefillWorker, TrtllmDecodeWorker in the nvidia.com/gpu.clique of ",
        trtllm_affinity({}),
    ),
    On(PLACEMENT, "disagg-gb200", *kv.TRTLLM, kv.TRTLLM_GRAPH).fails(
        "a pool of several NVLink domains without affinity",
        "has 76 GPUs (19 nodes of p6e-gb200.36xlarge) in NVLink domains of at most 72",
        trtllm_affinity({}),
        pools=(("p6e-gb200.36xlarge", 19),),
        advises=(kv.TRTLLM_GRAPH,),
    ),
    On(PLACEMENT, "disagg-gb200").passes(
        "a pool of several NVLink domains with affinity", pools=(("p6e-gb200.36xlarge", 19),)
    ),
    On(PLACEMENT, "disagg-gb200", kv.TRTLLM_GRAPH).advises(
        "nobody knows how large the pool is",
        "nothing keeps TrtllmPrefillWorker, TrtllmDecodeWorker in the nvidia.com/gpu.clique",
        "nothing says which pool it runs in",
        trtllm_affinity({}),
        pools=(),
        undecided_for=(kv.TRTLLM_GRAPH,),
    ),
)
