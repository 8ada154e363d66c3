"""What UCX, which carries the KV cache unless libfabric does, may use between two pods.

https://openucx.readthedocs.io/en/master/faq.html ("Which transports does UCX use?")
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass

from hardware import KvTransportName
from rules.reading.commands.variables import variable
from rules.reading.pods.workers import Worker

TRANSPORTS = "UCX_TLS"
NVLINK_BETWEEN_NODES = "UCX_CUDA_IPC_ENABLE_MNNVL"
"""Whether UCX uses NVLink between nodes: y, n or try, its default."""

OFF = frozenset({"n", "no", "0", "off", "false"})
ON = frozenset({"y", "yes", "1", "on", "true"})

_EVERYTHING = "all"
# The names, aliases included, by which a list admits what carries memory from one pod to another.
_ADMITTED_BY: Mapping[KvTransportName, frozenset[str]] = {
    "rdma": frozenset(
        {"rc", "rc_x", "rc_v", "rc_mlx5", "rc_verbs", "ud", "ud_x", "ud_v", "dc", "dc_x", "dc_mlx5", "ib"}
    ),
    "mnnvl": frozenset({"cuda_ipc", "cuda"}),
    "tcp": frozenset({"tcp"}),
}
# Groups of names that shut it out where the list says what not to use.
_SHUT_OUT_BY: Mapping[KvTransportName, tuple[frozenset[str], ...]] = {
    "rdma": (frozenset({"ib"}), frozenset({"rc", "ud", "dc"})),
    "mnnvl": (frozenset({"cuda_ipc"}), frozenset({"cuda"})),
    "tcp": (frozenset({"tcp"}),),
}


@dataclass(frozen=True, slots=True)
class UcxTransports:
    """The list of transports that a worker gives to UCX."""

    written: str | None
    """The value of UCX_TLS; None where UCX chooses by itself."""
    names: Set[str]

    def allows(self, transport: KvTransportName) -> bool:
        """Whether UCX may take the cache that way; EFA is libfabric's, which this list does not bind."""
        if self.written is None or transport not in _ADMITTED_BY:
            return True
        if self.written.startswith("^"):
            return not any(group <= self.names for group in _SHUT_OUT_BY[transport])
        return bool(self.names & {*_ADMITTED_BY[transport], _EVERYTHING})

    @property
    def asks_for_tcp(self) -> bool:
        """Whether a person listed TCP and nothing that is faster between pods."""
        listed = self.written is not None and not self.written.startswith("^")
        return listed and "tcp" in self.names and not self.allows("rdma") and not self.allows("mnnvl")


def read_ucx_transports(worker: Worker) -> UcxTransports:
    """What the worker's UCX_TLS says.

    Raises:
        Undecided: it is set to something unknown.
    """
    written = variable(worker, TRANSPORTS)
    if not written:
        return UcxTransports(None, frozenset())
    names = written.removeprefix("^").split(",")
    return UcxTransports(written, frozenset(name.strip() for name in names if name.strip()))
