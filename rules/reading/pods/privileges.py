"""What the security contexts of a worker allow it on its node."""

from dataclasses import dataclass

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
    user = whole_number_at(worker.container, "securityContext", "runAsUser")
    if user is None:
        user = whole_number_at(worker.pod, "securityContext", "runAsUser")
    return Privileges(
        privileged=field(worker.container, "securityContext", "privileged") is True,
        capabilities=frozenset(name.upper().removeprefix("CAP_") for name in added if name is not None),
        user=user,
        host_ipc=field(worker.pod, "hostIPC") is True,
    )
