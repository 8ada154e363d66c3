"""Devices and privileges of workers that send and take KV cache."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Severity
from rules.reading.devices import EFA_RESOURCE, efa_interfaces
from rules.reading.disaggregation import KvHop
from rules.reading.engines.settings import is_vllm
from rules.reading.kv_ways import Ways
from rules.reading.placements import read_placement
from rules.reading.pods.privileges import Privileges, read_privileges
from rules.reading.pods.workers import Worker
from rules.reading.shapes import mappings_at, text_at
from rules.rule import Advice, Said, about, rule
from rules.subjects import KV_HOPS, WORKERS

_DEVICES = "/dev/infiniband"


@rule(
    WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "A pod that takes a part of a GB200 node's EFA interfaces fails, and the node's own device directory "
        "hides what the device plugin hands out (fi_info ends with -61). A node's bandwidth is divided over "
        "its interfaces: a pod with fewer than its GPUs' share is slower (advice)."
    ),
    source=(
        "https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html; ai-dynamo/dynamo "
        "release notes of 1.3 and 1.4 (GB200), examples/deployments/EKS/manifests/vllm/v1beta1 at 4a28569 "
        "(four per GPU on p5); aws-samples/aws-do-eks#63; "
        "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html"
    ),
    lines=("Dynamo 1.2 to 1.4",),
    fix=(
        "Ask for the node's interfaces divided by its GPUs, times the pod's GPUs; on GB200 for all four; and "
        "mount no /dev/infiniband."
    ),
)
def kv_transport_devices(graph: ResourceGraph, worker: Worker) -> Iterator[Said]:
    """Network devices are not those that a node gives a pod."""
    asked = efa_interfaces(worker)
    if not asked:
        return
    for volume in mappings_at(worker.pod, "volumes"):
        if (text_at(volume, "hostPath", "path") or "").rstrip("/").startswith(_DEVICES):
            yield (
                f"mounts the node's {_DEVICES} (volume {text_at(volume, 'name') or 'unnamed'}) over the "
                f"{asked} {EFA_RESOURCE} that the device plugin gives it, which leaves libfabric without a "
                "device"
            )
    placement = read_placement(graph, worker)
    node = placement.instance_type
    if node.pod_takes_every_efa_interface:
        if asked < node.efa_interfaces:
            yield (
                f"asks for {asked} of the {node.efa_interfaces} {EFA_RESOURCE} of a node of pool "
                f"{placement.name} ({node.name}), on which a pod that uses EFA must have all of them"
            )
    elif 1 <= worker.gpus_per_pod <= node.gpus:
        share = node.efa_interfaces_per_pod(worker.gpus_per_pod)
        each = node.network.efa_gbit_per_second / node.efa_interfaces if share else 0
        if asked < share:
            yield Advice(
                f"asks for {asked} {EFA_RESOURCE} beside {worker.gpus_per_pod} GPUs, whose share of a "
                f"{node.name} is {share}: its pods have {asked * each:,.0f} of {share * each:,.0f} Gbit/s"
            )


@rule(
    KV_HOPS,
    severity=Severity.ADVISORY,
    reason=(
        "The network card reads and writes memory that the engine registers with it, for which the kernel "
        "wants IPC_LOCK, unless the node's runtime sets no limit (ulimit -l). Guides disagree on how much "
        "more a worker needs. With too little the engines fall back to TCP in silence."
    ),
    source=(
        "ai-dynamo/dynamo docs rdma-setup/overview.md at a580cdd (IPC_LOCK, SYS_RESOURCE), docs "
        "cloud-providers/eks/efa.md at 0c21bf2 (privileged), examples/deployments/EKS at 4a28569 "
        "(IPC_LOCK), recipes/inkling/vllm/disagg-gb300-agentic at 472ac24"
    ),
    lines=("Dynamo 1.2 to 1.5",),
    fix=(
        "Add IPC_LOCK to securityContext.capabilities.add of the worker's main container, and what the "
        "message names only if the transport's own counters stand still under load."
    ),
)
def kv_transport_privileges(_: ResourceGraph, hop: KvHop) -> Iterator[Observation]:
    """Worker lacks privileges for its KV transport."""
    for ways in hop.ways:
        privileges = read_privileges(ways.worker)
        yield from about(ways.worker, () if privileges.privileged else _lacking(ways, hop, privileges))


def _lacking(ways: Ways, hop: KvHop, privileges: Privileges) -> Iterator[str]:
    network = sorted(hop.common & {"efa", "rdma"})
    lacks = [name for name in ("IPC_LOCK", "SYS_RESOURCE") if not privileges.has(name)]
    if network and "IPC_LOCK" in lacks:
        yield (
            f"moves its KV cache by {' and '.join(network)} ({ways.open[network[0]]}), but its container "
            "neither adds the capability IPC_LOCK nor is privileged"
        )
    if "rdma" in network and "SYS_RESOURCE" in lacks:
        yield "uses RDMA without the capability SYS_RESOURCE, which the publisher's guide adds to IPC_LOCK"
    if "rdma" in network and privileges.user != 0:
        user = "the image's user" if privileges.user is None else f"user {privileges.user}"
        yield f"uses RDMA as {user}, for whom added capabilities do not act; the publisher's guide runs as 0"
    # TensorRT-LLM needs nothing beyond the claim, which brings the channel's device.
    if "mnnvl" in hop.common and is_vllm(ways.worker):
        lacks += ["runAsUser 0"] if privileges.user != 0 else []
        lacks += [] if privileges.host_ipc else ["hostIPC"]
        if lacks:
            yield (
                f"moves KV cache over NVLink between nodes without {', '.join(lacks)}, as the one recipe has "
                "it"
            )
