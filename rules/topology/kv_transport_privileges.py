"""A worker has the privileges that guides ask for its KV transport."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.vllm import is_vllm
from rules.reading.kv_transport.kv_hops import KvHop, check_hops
from rules.reading.kv_transport.kv_ways import Ways
from rules.reading.pods.security_context import Privileges, read_privileges


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_hops(graph, _check_hop)


def _check_hop(hop: KvHop) -> Iterator[Observation]:
    for ways in hop.ways:
        privileges = read_privileges(ways.worker)
        for transport, check in (("rdma", _rdma), ("mnnvl", _mnnvl)):
            if transport in hop.common and not privileges.privileged:
                for message in check(ways, privileges):
                    yield failed(ways.worker.resource, ways.worker.name, message)


def _rdma(_: Ways, privileges: Privileges) -> Iterator[str]:
    if not privileges.has("SYS_RESOURCE"):
        yield "uses RDMA without the capability SYS_RESOURCE, which the publisher's guide adds to IPC_LOCK"
    if privileges.user != 0:
        user = "the image's user" if privileges.user is None else f"user {privileges.user}"
        yield f"uses RDMA as {user}, for whom added capabilities do not act; the publisher's guide runs as 0"


def _mnnvl(ways: Ways, privileges: Privileges) -> Iterator[str]:
    if not is_vllm(ways.worker):
        # TensorRT-LLM needs nothing beyond the claim, which brings the channel's device.
        return
    lacks = [name for name in ("IPC_LOCK", "SYS_RESOURCE") if not privileges.has(name)]
    if privileges.user != 0:
        lacks.append("runAsUser 0")
    if not privileges.host_ipc:
        lacks.append("hostIPC")
    if lacks:
        yield f"moves KV cache over NVLink between nodes without {', '.join(lacks)}, as the one recipe has it"


RULE = Rule(
    id="kv-transport-privileges",
    title="A worker has the privileges that guides ask for its KV transport",
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
    check=_check,
)
