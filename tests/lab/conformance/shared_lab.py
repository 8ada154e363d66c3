"""One simulated cluster for all test processes of a run: two would cost twice the memory and start-up."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from lab import cluster, control_plane
from lab.locks import locked
from tests.lab.conformance.toy import make_template
from tests.support.sandbox import Sandbox
from tests.support.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NODE = """
apiVersion: v1
kind: Node
metadata: {name: toy-0, annotations: {kwok.x-k8s.io/node: fake}}
status:
  allocatable: {cpu: 32, memory: 64Gi, pods: 110}
  capacity: {cpu: 32, memory: 64Gi, pods: 110}
"""


@contextlib.contextmanager
def shared_lab(root: Path) -> Iterator[Sandbox]:
    """A control plane with one node, and nothing of what the project's own lab adds to it.

    The first process to come starts it, the last one to leave stops it.
    """
    sandbox = Sandbox.at(root / "conformance")
    users = root / "conformance.users"
    with locked(root / "conformance.lock"):
        if not users.exists():
            try:
                _start(sandbox)
            except BaseException:
                # Nobody has written himself down as its user yet, so nobody else would end it.
                control_plane.stop_and_delete(sandbox.directory)
                raise
        with users.open("a") as stream:
            stream.write(f"{os.getpid()}\n")
    try:
        yield sandbox
    finally:
        with locked(root / "conformance.lock"):
            left = [line for line in users.read_text().splitlines() if line != str(os.getpid())]
            users.write_text("".join(f"{line}\n" for line in left))
            if not left:
                control_plane.stop_and_delete(sandbox.directory)
                users.unlink()


def _start(sandbox: Sandbox) -> None:
    cluster.prepare(sandbox.directory, say=print)
    control_plane.start(sandbox.directory)
    node = sandbox.directory.root / "node.yaml"
    node.write_text(_NODE)
    sandbox.kubectl("apply", "-f", str(node))
    sandbox.kubectl("wait", "--for=condition=Ready", "node/toy-0", "--timeout=60s")
    # Every node begins with the taint not-ready:NoSchedule, which a controller takes away a moment after
    # the condition. Until then a DaemonSet wants no pod, and is ready without one.
    until(lambda: not sandbox.get("node", "toy-0")["spec"].get("taints"), "a node without taints")
    make_template(sandbox)
