"""How the KV cache can travel from prefill to decode workers, and what each way carries."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from hardware.source import Source

KvTransportName = Literal["nvlink", "mnnvl", "rdma", "efa", "tcp"]
KV_TRANSPORTS: tuple[KvTransportName, ...] = ("nvlink", "mnnvl", "rdma", "efa", "tcp")

NVLINK_GBIT = 7_200.0
"""One direction of one GPU's fifth-generation NVLink, 900 GB/s, in Gbit/s (NVIDIA GB200 NVL72 data sheet)."""
RDMA_GBIT = 400.0
"""One InfiniBand NDR or 400G RoCE adapter, in Gbit/s."""
TCP_GBIT = 25.0
"""A common bandwidth of a pod network between machines of unknown type, in Gbit/s."""
TCP_FLOW_GBIT = 5.0
"""What EC2 lets one TCP flow between machines carry outside a cluster placement group, in Gbit/s
(https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-network-bandwidth.html)."""
TCP_GIGABYTES_PER_SECOND = (1.0, 3.0)
"""What TCP hands over, in GB/s: the rate by which NVIDIA's EFA guide recognises it (DYNAMO_EFA_GUIDE)."""
TCP_FIRST_TOKEN_SECONDS = 98.0
"""Seconds to the first token over TCP (DYNAMO_TRANSPORT_GUIDE)."""
RDMA_FIRST_TOKEN_SECONDS = (0.2, 0.5)
"""Seconds to the first token over RDMA (DYNAMO_TRANSPORT_GUIDE)."""
FIRST_TOKEN_SECONDS_WITHOUT_RDMA = 10.0
"""A first token that takes longer was not handed over by RDMA: how the guide recognises the fallback to TCP
(DYNAMO_TRANSPORT_GUIDE)."""


class Standing(Enum):
    """How sure it is that a transport works on some hardware with some runtime."""

    IMPOSSIBLE = "impossible"
    UNPROVEN = "unproven"
    """It may work: a person must type it."""
    DOCUMENTED = "documented"
    """The publisher of engine or platform says that it works on such hardware."""


@dataclass(frozen=True, slots=True)
class KvPath:
    """One transport on one kind of node."""

    transport: KvTransportName
    standing: Standing
    reason: str
    """One sentence: why it is impossible, or what the evidence is."""
    source: Source
    gbit_per_second: float | None
    """Line rate between two workers of one GPU each, no protocol overhead.

    None if impossible, and inside one machine over TCP: that passes no network card, and nobody publishes
    what it carries."""
    lifted_by: str
    """What would raise the ceiling or prove the path."""
    reported_failing: bool = False
    """Somebody tried it on this hardware, and no request was completed."""
    same_clique: bool = False
    """All workers must be in one NVLink clique."""
    same_zone: bool = False
    """All workers must be in one availability zone."""
    different_nodes: bool = False
    """A prefill and a decode worker must not share a node."""
    one_pod_per_node: bool = False
    """A node has room for one pod of the transport, however many GPUs are left."""
    ends_at_pod: bool = False
    """A prefill and a decode worker of two pods do not reach each other."""

    @property
    def late_first_token_seconds(self) -> float:
        """After which a first token came too late for this path, by DYNAMO_TRANSPORT_GUIDE."""
        return TCP_FIRST_TOKEN_SECONDS if self.transport == "tcp" else FIRST_TOKEN_SECONDS_WITHOUT_RDMA


def efa_path(
    standing: Standing, reason: str, source: Source, *, lifted_by: str, one_pod_per_node: bool = False
) -> KvPath:
    """What is published of EFA, on nodes whose bandwidth is not told yet."""
    # Between two pods of one node libfabric retries without end ("fi_read still retrying EAGAIN",
    # ai-dynamo/dynamo#7764, ofiwg/libfabric#12328).
    return KvPath(
        "efa",
        standing,
        reason,
        source,
        None,
        lifted_by,
        same_zone=True,
        different_nodes=True,
        one_pod_per_node=one_pod_per_node,
    )


def transfer_seconds(payload_bytes: int, gbit_per_second: float) -> float:
    """How long the bytes are on the wire at line rate."""
    return payload_bytes * 8 / (gbit_per_second * 1e9)


def requests_per_second(payload_bytes: int, gbit_per_second: float) -> float:
    """How many requests with that much KV cache a path hands over, one after the other, at line rate."""
    return 1 / transfer_seconds(payload_bytes, gbit_per_second)


def transfer_range(payload_bytes: int, path: KvPath) -> tuple[float, float]:
    """The least and the most seconds that the bytes are under way, by what is known of the path."""
    if path.gbit_per_second is None:
        return tcp_range(payload_bytes)
    line_rate = transfer_seconds(payload_bytes, path.gbit_per_second)
    if path.transport != "tcp":
        return line_rate, line_rate
    return line_rate, transfer_seconds(payload_bytes, TCP_FLOW_GBIT)


def tcp_range(payload_bytes: int) -> tuple[float, float]:
    """The least and the most seconds that TCP as NVIDIA measures it needs (TCP_GIGABYTES_PER_SECOND)."""
    slow, fast = TCP_GIGABYTES_PER_SECOND
    return payload_bytes / (fast * 1e9), payload_bytes / (slow * 1e9)
