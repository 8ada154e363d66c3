"""What serves, apart from how: its files, how long it may take, and what rules read of its stack."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Served(NamedTuple):
    """What a graph and a server of the engine's own have in common."""

    name: str
    namespace: str
    engine_config_map_name: str | None
    """Ends in a hash of the content; None where the engine reads no file."""
    engine_files: Mapping[str, str]
    ready_timeout_seconds: int
    inputs: Mapping[str, Any]
    """The inputs of the component, which rules read (stacks/program/served_by.py)."""
