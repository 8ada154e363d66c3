"""What the security contexts of a worker allow it on its node."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from resource_graph import Value
from rules.reading.pods.containers import all_containers
from rules.reading.pods.pods import PodTemplate
from rules.reading.pods.workers import Worker
from rules.reading.shapes import field, texts_at, whole_number_at


@dataclass(frozen=True, slots=True)
class Privileges:
    """Privileges that the security contexts give a container."""

    privileged: bool
    capabilities: frozenset[str]
    """Added capabilities, without the prefix CAP_."""
    user: int | None
    """Numeric id of the user; None: the image decides."""
    host_ipc: bool

    def has(self, capability: str) -> bool:
        """Whether the container holds the capability."""
        return self.privileged or bool(self.capabilities & {capability, "ALL"})


def read_privileges(worker: Worker) -> Privileges:
    """The privileges of the worker's main container."""
    added = texts_at(worker.container, "securityContext", "capabilities", "add")
    return Privileges(
        privileged=field(worker.container, "securityContext", "privileged") is True,
        capabilities=frozenset(name.upper().removeprefix("CAP_") for name in added if name is not None),
        user=user_of(worker.pod, worker.container),
        host_ipc=field(worker.pod, "hostIPC") is True,
    )


def user_of(pod: Mapping[str, Value], container: Mapping[str, Value]) -> int | None:
    """Numeric id of the container's user: its own, else the pod's; None where the image decides."""
    own = whole_number_at(container, "securityContext", "runAsUser")
    return whole_number_at(pod, "securityContext", "runAsUser") if own is None else own


def refused_as_root(template: PodTemplate) -> Sequence[str]:
    """Names of the containers that must not run as root and do so, which no kubelet starts."""
    return [
        name
        for name, container in all_containers(template)
        if user_of(template.spec, container) == 0 and _must_not_be_root(template.spec, container)
    ]


def _must_not_be_root(pod: Mapping[str, Value], container: Mapping[str, Value]) -> bool:
    own = field(container, "securityContext", "runAsNonRoot")
    return (field(pod, "securityContext", "runAsNonRoot") if own is None else own) is True
