"""Whether the scheduler must keep workers on nodes with one label value, or apart."""

from collections.abc import Sequence

from rules.reading.nodes.node_selection import required_labels
from rules.reading.pods.label_selectors import selects
from rules.reading.pods.pod_affinity import Kind, terms
from rules.reading.pods.workers import Worker
from rules.reading.shapes import text_at

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
CLIQUE = "nvidia.com/gpu.clique"
"""`<cluster UUID>.<clique>` of nodes whose GPUs are attached to an NVLink fabric, by feature discovery."""


def not_bound(workers: Sequence[Worker], key: str) -> Sequence[Worker]:
    """The workers that nothing makes join the others on nodes with the same value of the label.

    Bound is who selects one value that all select, or has required affinity to the pods of all the others.

    Raises:
        Undecided: a selector is unknown or of another shape.
    """
    pinned = {_pinned(worker, key) for worker in workers}
    if None not in pinned and len(pinned) == 1:
        return ()
    return [worker for worker in workers if not _joins(worker, workers, key)]


def kept_apart(one: Worker, other: Worker, key: str) -> bool:
    """Whether required anti-affinity of one of the two keeps their pods on different values of the label.

    Raises:
        Undecided: a selector is unknown or of another shape.
    """
    return _required(one, other, "podAntiAffinity", key) or _required(other, one, "podAntiAffinity", key)


def _pinned(worker: Worker, key: str) -> str | None:
    for label in required_labels(worker.pod):
        if label.key == key and label.operator == "In" and len(label.values) == 1:
            return label.values[0]
    return None


def _joins(worker: Worker, workers: Sequence[Worker], key: str) -> bool:
    return all(_required(worker, other, "podAffinity", key) for other in workers if other is not worker)


def _required(worker: Worker, other: Worker, kind: Kind, key: str) -> bool:
    return any(
        selects(term.selector, other.template) is True
        for term in terms(worker.template, kind)
        if term.required and text_at(term.content, "topologyKey") == key
    )
