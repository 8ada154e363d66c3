"""`python -P -m lab.language_host ENGINE_ADDRESS`: serves until the engine stops it or is gone."""

from __future__ import annotations

import signal
import sys
from concurrent import futures
from importlib.metadata import version

import grpc
from pulumi.runtime.proto import language_pb2_grpc

from lab.engine_watch import end_with_engine
from lab.language_host.host import LanguageHost


def main() -> None:
    engine_address = next((argument for argument in sys.argv[1:] if not argument.startswith("-")), "")
    host = LanguageHost(engine_address, version("pulumi"))
    server = grpc.server(
        futures.ThreadPoolExecutor(max_workers=8),
        options=[("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)],
    )
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)

    def stop(*_: object) -> None:
        host.stop()
        server.stop(grace=0)

    # The CLI ends its plugins by SIGINT; unhandled, a traceback would land in the person's output.
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    end_with_engine(before=host.stop)
    server.wait_for_termination()


if __name__ == "__main__":
    main()
