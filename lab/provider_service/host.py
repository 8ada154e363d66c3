"""Messages to the person, through the engine that started this plugin."""

from __future__ import annotations

import contextlib

import grpc
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc

_DEADLINE_SECONDS = 5.0


class Host:
    """The engine's log."""

    def __init__(self, address: str) -> None:
        self._engine = engine_pb2_grpc.EngineStub(grpc.insecure_channel(address))

    def info(self, urn: str, message: str) -> None:
        """A line that stays in the output."""
        self._log(engine_pb2.INFO, urn, message, ephemeral=False)

    def warning(self, urn: str, message: str) -> None:
        """A warning that stays in the output."""
        self._log(engine_pb2.WARNING, urn, message, ephemeral=False)

    def status(self, urn: str, message: str) -> None:
        """What the resource waits for now; the terminal shows the last one only."""
        self._log(engine_pb2.INFO, urn, message, ephemeral=True)

    def _log(
        self, severity: engine_pb2.LogSeverity.ValueType, urn: str, message: str, *, ephemeral: bool
    ) -> None:
        request = engine_pb2.LogRequest(severity=severity, message=message, urn=urn, ephemeral=ephemeral)
        # A message that cannot be shown must not fail the operation that it describes.
        with contextlib.suppress(grpc.RpcError):
            self._engine.Log(request, timeout=_DEADLINE_SECONDS)
