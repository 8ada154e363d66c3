"""How a provider plugin starts and ends: the port on stdout, until the engine stops it or is gone."""

from __future__ import annotations

import os
import signal
import sys
import threading
from concurrent import futures
from typing import TYPE_CHECKING

import grpc
from pulumi.runtime.proto import provider_pb2_grpc

from lab.engine_watch import end_with_engine

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.provider_service.service import Service

# A wait occupies one thread, and the engine waits for as many resources as it likes.
_THREADS = 256


def engine_address() -> str:
    """Where the engine that started this process listens; empty when nobody says."""
    return next((argument for argument in sys.argv[1:] if not argument.startswith("-")), "")


def serve(service: Service, at_end: Callable[[], None] = lambda: None) -> None:
    """Serves until the engine stops this process, or it is gone; then runs `at_end`."""
    server = grpc.server(
        futures.ThreadPoolExecutor(max_workers=_THREADS),
        options=[("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)],
    )
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(service, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    threading.Thread(target=service.provider, daemon=True).start()

    def stop(*_: object) -> None:
        # At once: a call that is under way has lost the one who would record its result.
        at_end()
        os._exit(0)

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    end_with_engine(before=at_end)
    server.wait_for_termination()
