"""Resources by whose name a container asks for GPUs: misspelt ones, and accelerators of other kinds."""

import re
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import Value
from rules.reading.pods.containers import environment_entries, read_image
from rules.reading.pods.pods import PodTemplate
from rules.reading.pods.workers import GPU_RESOURCE
from rules.reading.shapes import known, mapping_at, text_at

_KINDS = ("limits", "requests")
_MISSPELT = re.compile(
    r"(?:www\.)?n(?:vidia|vida|ividia|vdia|videa)(?:\.com|\.io)?[/.]gpu(?:s|[-._]?count|[-._]?num(?:ber)?)?"
    r"|gpus?|alpha\.kubernetes\.io/nvidia-gpu",
    re.IGNORECASE,
)
"""Names that stand for GPUs and that no device plugin of NVIDIA's offers.

Plugins offer nvidia.com/gpu.shared, nvidia.com/mig-1g.10gb, nvidia.com/pgpu and nvidia.com/vgpu.
"""
_WITHOUT_GPU = re.compile(r"(?<![a-z])(?:cpu|tpu|xpu|hpu|gaudi|neuron|rocm)(?![a-z])")
"""Words in the names of images for other machines."""
_SHOWN_BY = "NVIDIA_VISIBLE_DEVICES"
_ORDINARY = frozenset({"cpu", "memory", "ephemeral-storage"})
_NO_ACCELERATOR = re.compile(r"hugepages-.*|.*(?:rdma|efa|roce|hostdev|\bib\b|hca|ephemeral).*")


def misspelt_gpus(template: PodTemplate, container: Mapping[str, Value]) -> Sequence[str]:
    """Each name of a resource that was meant for GPUs, and that no node offers."""
    names = dict.fromkeys(_resources(container))
    if template.shape == "service" and container is template.main:
        # A v1alpha1 service's own resources call GPUs gpu, and others stand in custom.
        custom = (mapping_at(template.described_by, "resources", kind, "custom") for kind in _KINDS)
        names |= dict.fromkeys(name for resources in custom for name in resources)
    return [name for name in names if name != GPU_RESOURCE and _MISSPELT.fullmatch(name)]


def other_accelerators(template: PodTemplate, container: Mapping[str, Value]) -> Sequence[str]:
    """What may stand for GPUs: TPUs, parts of GPUs, other makers' GPUs, all of the node's, or none."""
    image = known(read_image, container)
    if image is not None and _WITHOUT_GPU.search(image.text):
        return [f"image {image.text}"]
    if "runtimeClassName" in template.spec:
        return ["runtimeClassName"]
    # Where NVIDIA's runtime is the node's default, the variable brings GPUs that nobody counts.
    if any(text_at(each, "name") == _SHOWN_BY for each in environment_entries(template, container)):
        return [_SHOWN_BY]
    return [
        name
        for name in dict.fromkeys(_resources(container))
        if name not in _ORDINARY
        and name != GPU_RESOURCE
        and not _NO_ACCELERATOR.fullmatch(name)
        and not _MISSPELT.fullmatch(name)
    ]


def _resources(container: Mapping[str, Value]) -> Iterator[str]:
    for kind in _KINDS:
        yield from mapping_at(container, "resources", kind)
