"""Images whose tag names an architecture, and the architectures of the nodes that a pod can land on."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hardware import INSTANCE_TYPES
from resource_graph import ResourceGraph
from rules.reading.nodes.landing import selected_pools
from rules.reading.nodes.node_selection import ARCHITECTURE_LABEL, required_labels
from rules.reading.nodes.pools import read_pools
from rules.reading.pods.gpu_pods import templates_with_gpus
from rules.reading.pods.images import read_image
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import Undecided

_SUFFIX = re.compile(r"-(amd64|arm64|x86_64|aarch64)$")
_SAME = {"x86_64": "amd64", "aarch64": "arm64"}
# NVIDIA's release page and its release data contradict each other about these tags.
_DISPUTED = re.compile(r"1\.2\.[0-9]+-efa-amd64")
_PRODUCT_LABEL = "nvidia.com/gpu.product"


@dataclass(frozen=True, slots=True)
class SuffixedImage:
    """An image whose tag ends in an architecture."""

    name: str
    architecture: str
    """amd64 or arm64."""
    is_disputed: bool
    """Whether sources contradict each other about what the tag holds."""


@dataclass(frozen=True, slots=True)
class NodeArchitecture:
    """One architecture that a pod can land on, and what says so."""

    architecture: str
    source: str


def suffixed_images(template: PodTemplate) -> Sequence[SuffixedImage]:
    """The images of the pod's containers that name an architecture, each once.

    Raises:
        Undecided: an image is unknown.
    """
    found: dict[str, SuffixedImage] = {}
    for container in template.containers:
        image = read_image(container)
        match = None if image is None else _SUFFIX.search(image.tag or "")
        if image is not None and match is not None:
            architecture = _SAME.get(match[1], match[1])
            is_disputed = _DISPUTED.fullmatch(image.tag or "") is not None
            found[image.text] = SuffixedImage(image.text, architecture, is_disputed)
    return tuple(found.values())


def node_architectures(graph: ResourceGraph, template: PodTemplate) -> Sequence[NodeArchitecture]:
    """What the pod's own selection says, else the pools that it can land on.

    Raises:
        Undecided: neither does.
    """
    selected = tuple(_selected(template))
    if selected:
        return selected
    if not read_pools(graph) or template not in templates_with_gpus(graph):
        # Pools are the nodes with GPUs; of the others nothing is told.
        raise Undecided(
            "its image is made for one architecture, but neither a selection by "
            f"{ARCHITECTURE_LABEL} nor a pool of nodes with GPUs says which its nodes have"
        )
    found: dict[str, NodeArchitecture] = {}
    for pool in selected_pools(graph, template):
        architecture = pool.instance_type.cpu_architecture
        source = f"pool {pool.name} of {pool.instance_type.name}"
        found.setdefault(architecture, NodeArchitecture(architecture, source))
    return tuple(found.values())


def _selected(template: PodTemplate) -> Iterator[NodeArchitecture]:
    labels = [label for label in required_labels(template.spec) if label.operator == "In"]
    for label in labels:
        if label.key == ARCHITECTURE_LABEL:
            yield from (NodeArchitecture(value, f"{label.key}={value}") for value in label.values if value)
            return
    products = [value for label in labels if label.key == _PRODUCT_LABEL for value in label.values if value]
    for node in INSTANCE_TYPES.values():
        if node.accelerator.product_label in products:
            source = f"{_PRODUCT_LABEL}={node.accelerator.product_label}"
            yield NodeArchitecture(node.cpu_architecture, source)
            return
