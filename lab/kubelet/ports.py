"""Ports of this machine that the lab's pods need, looked at before anything waits for a pod."""

from __future__ import annotations

import ipaddress
import socket

import psutil

from lab.errors import LabError

PORTS = {
    4222: "NATS",
    6222: "NATS",
    8222: "NATS",
    2379: "etcd",
    2380: "etcd",
    8000: "the frontend",
    9090: "a worker",
    9091: "a worker",
    9092: "a worker",
}
"""What may listen there in a pod. A pod's address is its own, so that two labs share every port."""

# Of no slot (lab/slots.py).
_ADDRESS = "127.254.255.254"


def demand_ports() -> None:
    """Refuse a machine on which a pod of the lab could not listen.

    A program that listens on all addresses has the port of every pod's address too; the pod's own program
    would end again and again, and `pulumi up` would wait for it until its deadline.

    Raises:
        LabError: which port is taken, and by which program.

    """
    for port, user in PORTS.items():
        with socket.socket() as probe:
            # As the pods' programs bind: a connection that has just ended is no listener.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((_ADDRESS, port))
                probe.listen()
            except OSError as error:
                why = f"{(error.strerror or str(error)).lower()}{_listener(port)}"
                raise LabError(
                    f"{user} of the lab's pods cannot listen at port {port}: {why}\n"
                    "end what listens there on all addresses, or let it listen at 127.0.0.1 alone; "
                    "`make lab-up PODS=simulated` brings pods up that no process is behind"
                ) from None


def _listener(port: int) -> str:
    """Return which program listens at the port on all addresses, as far as this user may know it."""
    try:
        for found in psutil.net_connections("tcp"):
            if found.status != psutil.CONN_LISTEN or not found.laddr or found.laddr.port != port:
                continue
            if found.pid and ipaddress.ip_address(found.laddr.ip).is_unspecified:
                return f", by {psutil.Process(found.pid).name()} (process {found.pid})"
    except psutil.Error:
        pass
    return ""
