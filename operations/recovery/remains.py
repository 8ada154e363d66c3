"""What an interrupted run left, as plain data."""

from dataclasses import dataclass
from typing import Self

from resource_graph import Resource
from resource_graph.engine_state import Operation

CREATE_MANAGER = "pulumi-kubernetes"
"""The field manager that the provider creates objects as."""

UNKNOWN_HOST = "unknown"
"""Stands for the machine of a lock that does not name it."""

NO_FIELDS = {"f:metadata": {"f:annotations": {"f:dynamo-stack/recovering": {}}}}
"""What the create of an object is left to own while it is taken over: a field that nobody sets."""


@dataclass(frozen=True)
class Lock:
    """The lock of a run, as the backend names its holder."""

    user: str
    host: str
    pid: int
    since: str

    def __str__(self) -> str:
        if self.host == UNKNOWN_HOST:
            return f"since {self.since}"
        return f"pid {self.pid} of {self.user} on {self.host}, since {self.since}"


@dataclass(frozen=True)
class ClusterObject:
    """An object of the program that is in the cluster, whether the state knows it or not."""

    urn: str
    api_version: str
    kind: str
    namespace: str | None
    name: str
    managers: tuple[str, ...] = ()
    """Who wrote it, by the names of field managers."""
    create_entry: int | None = None
    """Where among several managed fields those of Pulumi's create stand; None once it owns none any more."""
    is_terminating: bool = False
    """Its deletion has begun."""

    @classmethod
    def of(cls, resource: Resource) -> Self:
        """Return the object that a program or a state describes."""
        namespace = resource.namespace if isinstance(resource.namespace, str) else None
        return cls(
            resource.urn,
            str(resource.api_version),
            str(resource.kind),
            namespace,
            str(resource.object_name),
        )

    @property
    def id(self) -> str:
        """As the provider calls it."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"

    @property
    def is_pulumis(self) -> bool:
        """Whether Pulumi's provider made it: a create is written by the manager `pulumi-kubernetes`."""
        return any(manager.startswith(CREATE_MANAGER) for manager in self.managers)


@dataclass(frozen=True)
class PendingOperation:
    """A call that the engine had made, and whose answer it never heard."""

    operation: Operation
    urn: str
    type: str
    target: ClusterObject | None = None
    """The object or release that the call is about; None for what is not in the cluster."""
    wait_seconds: float = 0
    """How long the call may wait once its request is sent."""


@dataclass(frozen=True)
class StackState:
    """What the stack's state says."""

    recorded: frozenset[tuple[str, str]]
    """URN and id of every resource that is in the cluster as far as the state knows."""
    pending: tuple[PendingOperation, ...]
    half_replaced: tuple[str, ...]
    """URNs of which an old one waits to be deleted, or a new one to be created."""
    failed: frozenset[str] = frozenset()
    """URNs whose last create or update failed or never became ready: the state has what was asked for, the
    cluster perhaps not."""

    @property
    def is_empty(self) -> bool:
        """Whether the stack holds nothing in the cluster, as far as its state knows."""
        return not self.recorded and not self.pending

    def knows(self, urn: str) -> bool:
        """Whether the state holds a resource of this URN."""
        return any(known == urn for known, _ in self.recorded)


@dataclass(frozen=True)
class HelmRelease:
    """The stack's release as Helm records it."""

    urn: str
    parent: str | None
    provider: str | None
    name: str
    namespace: str
    status: str | None
    """Of the newest revision; None: there is no such release."""
    chart: str = ""
    """With its version, as Helm writes it: dynamo-platform-1.2.1."""
    wanted_chart: str = ""
    """The name of the program's."""
    last_deployed: int | None = None
    """The revision that ran before the interrupted one."""
    holds: tuple[str, ...] = ()
    """Objects in its manifest that hold data and that an uninstall would delete."""
    graphs: tuple[str, ...] = ()
    """Graphs in the cluster, `namespace/name`, that its operator looks after; also those that are gone and
    have left parts."""

    @property
    def is_of_wanted_chart(self) -> bool:
        """Whether it was installed from a chart of the name that the program installs."""
        return self.chart.startswith(f"{self.wanted_chart.rpartition('/')[2]}-")


@dataclass(frozen=True)
class Remains:
    """All of it together."""

    locks: tuple[Lock, ...]
    state: StackState
    release: HelmRelease | None
    """None where the platform is not this stack's own."""
    objects: tuple[ClusterObject, ...]
    """Those of the program's objects that exist."""
    restored: bool = False
    """Whether the state is a backup that was put back: the cluster is newer."""
    graph_to_come: str | None = None
    """The program's graph, where the state has none of any name: no `up` has got that far."""
    operator_answers: bool = True
    """Whether graphs can be changed and deleted: without the operator they can only be read."""

    @property
    def unrecorded(self) -> tuple[ClusterObject, ...]:
        """Those that the state does not know."""
        return tuple(each for each in self.objects if (each.urn, each.id) not in self.state.recorded)

    @property
    def was_creating(self) -> frozenset[str]:
        """URNs of what was being created."""
        return frozenset(each.urn for each in self.state.pending if each.operation == "creating")
