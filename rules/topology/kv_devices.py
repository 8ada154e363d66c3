"""Devices and privileges of workers that send and take KV cache."""

from collections.abc import Iterator, Sequence
from itertools import product

from resource_graph import ResourceGraph
from rules.model import Observation, Severity, failed
from rules.reading.devices import EFA_RESOURCE, efa_interfaces
from rules.reading.disaggregation import Disaggregated, KvHop, chosen_transport
from rules.reading.engines.command_settings import is_vllm
from rules.reading.placements import read_placement
from rules.reading.pods.workers import Privileges, Worker, read_privileges
from rules.reading.shapes import mappings_at, text_at
from rules.rule import rule
from rules.subjects import DISAGGREGATED, KV_HOPS, WORKERS

_DEVICES = "/dev/infiniband"


@rule(
    WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "A pod that asks for more EFA interfaces than a node has stays Pending; one that takes a part of a "
        "GB200 node's fails; and the node's own device directory hides what the device plugin hands out "
        "(fi_info ends with -61)."
    ),
    source=(
        "https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html; ai-dynamo/dynamo "
        "release notes of 1.3 and 1.4 (GB200); aws-samples/aws-do-eks#63"
    ),
    lines=("Dynamo 1.2 to 1.4",),
    fix=(
        "Ask for the node's interfaces divided by its GPUs, times the pod's GPUs; on GB200 for all four; and "
        "mount no /dev/infiniband."
    ),
)
def kv_transport_devices(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """A worker asks for network devices that a node can give it."""
    asked = efa_interfaces(worker)
    if not asked:
        return
    for name in _volumes_over_devices(worker):
        yield (
            f"mounts the node's {_DEVICES} (volume {name}) over the {asked} {EFA_RESOURCE} that the device "
            "plugin gives it, which leaves libfabric without a device"
        )
    placement = read_placement(graph, worker)
    node = placement.instance_type
    if asked > node.efa_interfaces:
        yield (
            f"asks for {asked} {EFA_RESOURCE} in one pod, but a node of pool {placement.name} ({node.name}) "
            f"has {node.efa_interfaces}"
        )
    elif node.pod_takes_every_efa_interface and asked < node.efa_interfaces:
        yield (
            f"asks for {asked} of the {node.efa_interfaces} {EFA_RESOURCE} of a node of pool "
            f"{placement.name} ({node.name}), on which a pod that uses EFA must have all of them"
        )


def _volumes_over_devices(worker: Worker) -> Sequence[str]:
    paths = [(each, text_at(each, "hostPath", "path") or "") for each in mappings_at(worker.pod, "volumes")]
    over = [each for each, path in paths if path.rstrip("/").startswith(_DEVICES)]
    return [text_at(each, "name") or "unnamed" for each in over]


@rule(
    KV_HOPS,
    severity=Severity.ADVISORY,
    reason="A node's EFA bandwidth is divided over its interfaces; a pod uses what it asks for.",
    source=(
        "ai-dynamo/dynamo examples/deployments/EKS/manifests/vllm/v1beta1 at 4a28569 (four per GPU on p5); "
        "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html"
    ),
    lines=("Dynamo 1.3",),
    fix="Ask for the node's interfaces divided by its GPUs, times the pod's GPUs.",
)
def kv_transport_bandwidth(graph: ResourceGraph, hop: KvHop) -> Iterator[Observation]:
    """A pod has its GPUs' share of the node's EFA interfaces."""
    for worker in hop.group.workers if "efa" in hop.common else ():
        for message in _smaller_share(graph, worker):
            yield failed(worker.resource, worker.name, message)


def _smaller_share(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    asked = efa_interfaces(worker)
    if not asked:
        return
    node = read_placement(graph, worker).instance_type
    if node.pod_takes_every_efa_interface or not 1 <= worker.gpus_per_pod <= node.gpus:
        return
    share = node.efa_interfaces_per_pod(worker.gpus_per_pod)
    if asked >= share:
        return
    each = node.network.efa_gbit_per_second / node.efa_interfaces
    yield (
        f"asks for {asked} {EFA_RESOURCE} beside {worker.gpus_per_pod} GPUs, whose share of a {node.name} is "
        f"{share}: its KV cache has {asked * each:,.0f} of {share * each:,.0f} Gbit/s"
    )


@rule(
    KV_HOPS,
    severity=Severity.ADVISORY,
    reason=(
        "The network card reads and writes memory that the engine registers with it, for which the kernel "
        "wants IPC_LOCK, unless the node's runtime sets no limit (ulimit -l). Without either the device "
        "cannot be used, and the engines fall back to TCP."
    ),
    source=(
        "ai-dynamo/dynamo docs rdma-setup/overview.md at a580cdd (IPC_LOCK, SYS_RESOURCE), docs "
        "cloud-providers/eks/efa.md at 0c21bf2 (privileged), examples/deployments/EKS at 4a28569 (IPC_LOCK)"
    ),
    lines=("Dynamo 1.2 to 1.5",),
    fix="Add IPC_LOCK to securityContext.capabilities.add of the worker's main container.",
)
def kv_transport_pins_memory(_: ResourceGraph, hop: KvHop) -> Iterator[Observation]:
    """A worker that sends its KV cache by RDMA or EFA may pin memory."""
    transports = sorted(hop.common & {"efa", "rdma"})
    if not transports:
        return
    for ways in hop.ways:
        worker = ways.worker
        if not read_privileges(worker).has("IPC_LOCK"):
            yield failed(
                worker.resource,
                worker.name,
                f"moves its KV cache by {' and '.join(transports)} ({ways.open[transports[0]]}), but its "
                "container neither adds the capability IPC_LOCK nor is privileged",
            )


@rule(
    KV_HOPS,
    severity=Severity.ADVISORY,
    reason=(
        "Guides disagree on how much a worker needs to register GPU memory with its network card. With too "
        "little the engines fall back to TCP in silence."
    ),
    source=(
        "ai-dynamo/dynamo docs cloud-providers/eks/efa.md at 0c21bf2, examples/deployments/EKS at 4a28569, "
        "docs rdma-setup/overview.md at a580cdd, recipes/inkling/vllm/disagg-gb300-agentic at 472ac24"
    ),
    lines=("Dynamo 1.2 to 1.5",),
    fix=(
        "Watch the transport's own counters under load; only if they stand still give the container what the "
        "guide asks for."
    ),
)
def kv_transport_privileges(_: ResourceGraph, hop: KvHop) -> Iterator[Observation]:
    """A worker has the privileges that guides ask for its KV transport."""
    for worker in hop.group.workers:
        privileges = read_privileges(worker)
        for transport, check in (("rdma", _lacks_for_rdma), ("mnnvl", _lacks_for_nvlink)):
            if transport in hop.common and not privileges.privileged:
                for message in check(worker, privileges):
                    yield failed(worker.resource, worker.name, message)


def _lacks_for_rdma(_: Worker, privileges: Privileges) -> Iterator[str]:
    if not privileges.has("SYS_RESOURCE"):
        yield "uses RDMA without the capability SYS_RESOURCE, which the publisher's guide adds to IPC_LOCK"
    if privileges.user != 0:
        user = "the image's user" if privileges.user is None else f"user {privileges.user}"
        yield f"uses RDMA as {user}, for whom added capabilities do not act; the publisher's guide runs as 0"


def _lacks_for_nvlink(worker: Worker, privileges: Privileges) -> Iterator[str]:
    if not is_vllm(worker):
        # TensorRT-LLM needs nothing beyond the claim, which brings the channel's device.
        return
    lacks = [name for name in ("IPC_LOCK", "SYS_RESOURCE") if not privileges.has(name)]
    if privileges.user != 0:
        lacks.append("runAsUser 0")
    if not privileges.host_ipc:
        lacks.append("hostIPC")
    if lacks:
        yield f"moves KV cache over NVLink between nodes without {', '.join(lacks)}, as the one recipe has it"


@rule(
    DISAGGREGATED,
    severity=Severity.ADVISORY,
    reason=(
        "CUDA opens another process's memory only on a GPU that it sees. Two workers of one container that "
        "see their own GPUs alone hand the KV cache over by TCP, and nothing says so."
    ),
    source=(
        "vllm-project/vllm#52607; ai-dynamo/dynamo recipes/gpt-oss-120b/vllm/disagg-b200-agentic at e17cb02"
    ),
    lines=("UCX 1.20",),
    fix=(
        "Name the neighbour's GPUs after the worker's own in CUDA_VISIBLE_DEVICES: 0,1,2,3,4,5,6,7 and "
        "4,5,6,7,0,1,2,3."
    ),
)
def neighbours_gpus_visible(graph: ResourceGraph, group: Disaggregated) -> Iterator[str]:
    """Prefill and decode workers of one container see each other's GPUs."""
    chosen = chosen_transport(graph, group.resource)
    if chosen is not None and chosen.name == "tcp":
        return
    for sender, receiver in product(group.prefill, group.decode):
        if sender.container is receiver.container:
            yield from _unseen(sender, receiver)
            yield from _unseen(receiver, sender)


def _unseen(worker: Worker, neighbour: Worker) -> Iterator[str]:
    own = neighbour.shown_gpus[: neighbour.gpus_per_pod]
    hidden = [gpu for gpu in own if gpu not in worker.shown_gpus]
    if hidden and worker.shown_gpus:
        yield f"{worker.name} does not see GPUs {','.join(hidden)} of {neighbour.name} in its container"
