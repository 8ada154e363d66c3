"""`python -P -m lab.kubernetes_provider ENGINE_ADDRESS`: serves until the engine stops it or is gone."""

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
from lab.kubernetes_provider import private_files
from lab.kubernetes_provider.service import Service

if TYPE_CHECKING:
    from lab.kubernetes_provider.provider import Provider

# A wait occupies one thread, and the engine waits for as many resources as it likes.
_THREADS = 256


def main() -> None:
    engine_address = next((argument for argument in sys.argv[1:] if not argument.startswith("-")), "")
    folder = private_files.create()

    def make() -> Provider:
        # The Kubernetes client takes most of a second to import; the engine need not wait for it
        # before it may start the program.
        from lab.kubernetes_provider.host import Host  # noqa: PLC0415 - see above
        from lab.kubernetes_provider.provider import Provider  # noqa: PLC0415 - see above

        return Provider(Host(engine_address), folder)

    server = grpc.server(
        futures.ThreadPoolExecutor(max_workers=_THREADS),
        options=[("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)],
    )
    service = Service(make)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(service, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    threading.Thread(target=service.warm_up, daemon=True).start()

    def stop(*_: object) -> None:
        # At once: a call that is under way has lost the one who would record its result.
        private_files.remove(folder)
        os._exit(0)

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    end_with_engine(before=lambda: private_files.remove(folder))
    server.wait_for_termination()


if __name__ == "__main__":
    main()
