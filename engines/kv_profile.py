"""How a worker is set up for one KV transport, whatever its engine is."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Privileges:
    """What the container gets beyond an ordinary one."""

    reason: str
    source: str
    privileged: bool = False
    run_as_root: bool = False
    capabilities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KvProfile:
    """Image, backend, environment and privileges of a worker that hands KV cache over or takes it."""

    backend: str
    """What carries the blocks, in the engine's own word."""
    image_tag: str
    source: str
    """Place where the setup was published."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    library_directories: tuple[str, ...] = ()
    """Searched before the image's own LD_LIBRARY_PATH. A pod's env cannot refer to a value of the image, so
    the container's shell puts them in front."""
    privileges: Privileges | None = None
