"""A server that an engine brings along: one process with the OpenAI API, without Dynamo around it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

PORT = 8000
"""What every such server listens at here, and the Service in front of it."""


@dataclass(frozen=True, slots=True)
class ServerPaths:
    """Paths of its HTTP port."""

    ready: str
    """Answers 200 once requests are served, and not before."""
    metrics: str
    """Metrics in Prometheus' words."""


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """How one server is started."""

    command_line: str
    """For a shell, without `exec`; options of the engine come from its file alone."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


class EngineServer(Protocol):
    """One engine's own server."""

    framework: str
    """Name of the engine, a key of ENGINES."""
    paths: ServerPaths
    dynamo_releases: Mapping[str, str]
    """Version of its image -> release of Dynamo's runtime with the same engine: defects are known by it."""

    def command(
        self, *, served_name: str, engine_file_path: str, model_path: str, algorithm: str | None
    ) -> ServerCommand:
        """Return how it is started for a model on the cache."""
        ...
