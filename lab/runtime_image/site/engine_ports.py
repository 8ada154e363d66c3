"""The fixed ports that an engine binds, which no other engine of the pod may have."""

from __future__ import annotations

import socket
import sys

Ports = dict[str, int]
"""What listens there -> the number."""


def hold(address: str, ports: Ports) -> None:
    """Bind the ports for this process and the one that takes its place, or end as the engine would.

    Args:
        address: of the pod, which stands for all of its interfaces.
        ports: of the engine; each is looked at by the other engines of the pod.
    """
    for what, port in ports.items():
        listener = socket.socket()
        # As ZeroMQ binds: a connection that has just ended is no listener.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, port))
            listener.listen()
        except OSError as error:
            sys.exit(f"zmq.error.ZMQError: {error.strerror} (addr='tcp://*:{port}'): {what}")
        listener.set_inheritable(True)
        # The socket lives as long as the process, whatever becomes of the object.
        listener.detach()
