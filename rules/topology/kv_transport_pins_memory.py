"""A worker that sends its KV cache by RDMA or EFA may pin memory."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.kv_transport.kv_hops import KvHop, check_hops
from rules.reading.pods.security_context import read_privileges


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_hops(graph, _check_hop)


def _check_hop(hop: KvHop) -> Iterator[Observation]:
    transports = sorted(hop.common & {"efa", "rdma"})
    if not transports:
        return
    for ways in hop.ways:
        worker = ways.worker
        if read_privileges(worker).has("IPC_LOCK"):
            continue
        yield failed(
            worker.resource,
            worker.name,
            f"moves its KV cache by {' and '.join(transports)} ({ways.open[transports[0]]}), but its "
            "container neither adds the capability IPC_LOCK nor is privileged",
        )


RULE = Rule(
    id="kv-transport-pins-memory",
    title="A worker that sends its KV cache by RDMA or EFA may pin memory",
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
    check=_check,
)
