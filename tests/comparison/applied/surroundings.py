"""What a change takes for granted beside the stack: labels of nodes, a controller, another cluster."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import yaml

from lab import cluster
from lab.environment import CONTEXT
from tests.support.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tests.comparison.applied.deployed import Deployed

_DEADLINE = 60.0
_PAUSE = 0.3


@contextmanager
def nothing_else(_: Deployed, __: Path) -> Iterator[None]:
    """A change that needs nothing of anybody."""
    yield


@contextmanager
def _labelled_nodes(deployed: Deployed, _: Path) -> Iterator[None]:
    """The pool's node gets the label by which its workers are placed from now on."""
    deployed.lab.kubectl("label", "node", "p6-b200-0", "example.com/pool=front")
    try:
        yield
    finally:
        # It keeps no pod from running where it runs.
        deployed.lab.kubectl("label", "node", "p6-b200-0", "example.com/pool-")


@contextmanager
def _ingress_controller(deployed: Deployed, _: Path) -> Iterator[None]:
    """Gives the Ingress an address, which the engine waits for."""
    ended = threading.Event()
    status = {"status": {"loadBalancer": {"ingress": [{"ip": "127.0.0.1"}]}}}

    def control() -> None:
        while not ended.wait(_PAUSE):
            for each in deployed.lab.get("ingresses", "--all-namespaces")["items"]:
                name, namespace = each["metadata"]["name"], each["metadata"]["namespace"]
                deployed.lab.kubectl(
                    "patch", "ingress", name, "-n", namespace, "--subresource=status", "--type=merge",
                    "-p", json.dumps(status), check=False,
                )  # fmt: skip

    controller = threading.Thread(target=control, daemon=True)
    controller.start()
    try:
        yield
    finally:
        ended.set()
        controller.join(_DEADLINE)


@contextmanager
def _another_cluster(deployed: Deployed, folder: Path) -> Iterator[None]:
    """A second cluster, with nodes of its own, as the context `other` of the person who types."""
    other = Sandbox.at(folder / "other-lab")
    try:
        cluster.prepare(other.directory, say=print)
        cluster.up(other.directory, say=print)
        _add_context(deployed.lab.directory.kubeconfig, other.directory.kubeconfig, "other")
        with deployed.also_on(other):
            yield
    finally:
        cluster.down(other.directory)


@contextmanager
def _a_larger_block(deployed: Deployed, _: Path) -> Iterator[None]:
    """The Capacity Block has a tray more: what was bought is no matter of the stack."""
    file = deployed.lab.directory.cloud / "capacity-reservations.json"
    [block] = json.loads(file.read_text(encoding="utf-8"))
    larger = block | {"TotalInstanceCount": block["TotalInstanceCount"] + 1}
    file.write_text(json.dumps([larger]), encoding="utf-8")
    yield


def _add_context(file: Path, source: Path, name: str) -> None:
    config, added = (yaml.safe_load(each.read_text(encoding="utf-8")) for each in (file, source))
    context = next(each["context"] for each in added["contexts"] if each["name"] == CONTEXT)
    for kind, of in (("clusters", "cluster"), ("users", "user")):
        found = next(each[of] for each in added[kind] if each["name"] == context[of])
        config[kind].append({"name": name, of: found})
    config["contexts"].append({"name": name, "context": {"cluster": name, "user": name}})
    file.write_text(yaml.safe_dump(config), encoding="utf-8")


SURROUNDINGS: dict[str, Callable[[Deployed, Path], AbstractContextManager[None]]] = {
    "context": _another_cluster,
    "exposure": _ingress_controller,
    "labels-of-a-pool": _labelled_nodes,
    "nodes-of-a-bought-pool": _a_larger_block,
}
"""Name of a case -> what there is while it is applied."""
