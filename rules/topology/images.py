"""Whether images and recipes run on the hardware that they were made for."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hardware import INSTANCE_TYPES, Accelerator
from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Severity
from rules.reading.commands.container_commands import TENSORRT_LLM
from rules.reading.disaggregation import read_role
from rules.reading.engines.models import read_gpt_oss
from rules.reading.gpu_pods import templates_with_gpus
from rules.reading.node_selection import ARCHITECTURE_LABEL, required_labels, selected_pools
from rules.reading.placements import PRODUCT_LABEL, read_landing
from rules.reading.pods.containers import read_image
from rules.reading.pods.pods import PodTemplate
from rules.reading.pools import read_pools
from rules.reading.shapes import Undecided
from rules.rule import rule
from rules.subjects import POD_TEMPLATES, TENSORRT_LLM_WORKERS, TensorRtLlmWorker

_SUFFIX = re.compile(r"-(amd64|arm64|x86_64|aarch64)$")
_SAME = {"x86_64": "amd64", "aarch64": "arm64"}
# NVIDIA's release page and its release data contradict each other about these tags.
_DISPUTED = re.compile(r"1\.2\.[0-9]+-efa-amd64")


@dataclass(frozen=True, slots=True)
class _SuffixedImage:
    """An image whose tag ends in an architecture."""

    name: str
    architecture: str
    """amd64 or arm64."""
    is_disputed: bool
    """Whether sources contradict each other about what the tag holds."""


@dataclass(frozen=True, slots=True)
class _NodeArchitecture:
    """One architecture that a pod can land on, and what says so."""

    architecture: str
    source: str


@rule(
    POD_TEMPLATES,
    severity=Severity.MANDATORY,
    reason=(
        "GB200 nodes are arm64, B200 and H200 nodes amd64. Of an image of the other one the container "
        "runtime says 'no match for platform in manifest', or the container ends with an exec format error."
    ),
    source=(
        "FoundationDB/fdb-kubernetes-operator#2294; ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/agg at "
        "668dd11 (an -arm64 tag)"
    ),
    lines=EVERY_RELEASE,
    fix="Use a tag without suffix, which holds both architectures, or select nodes by kubernetes.io/arch.",
)
def image_architecture_matches_node(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """An image made for one architecture runs on nodes of that architecture."""
    for image, landing in _misplaced(graph, template, is_disputed=False):
        yield (
            f"its image {image.name} is made for {image.architecture}, but it can land on "
            f"{landing.architecture} ({landing.source})"
        )


@rule(
    POD_TEMPLATES,
    severity=Severity.ADVISORY,
    reason=(
        "NVIDIA's release page lists the -efa-amd64 tags of 1.2 for AMD64 only, while its release data and "
        "ai-dynamo/dynamo#13049 say that they hold both architectures: on an arm64 node it may not start."
    ),
    source="https://docs.nvidia.com/dynamo/ (release 1.2.1, artifacts); ai-dynamo/dynamo#13049",
    lines=("Dynamo 1.2",),
    fix=(
        "Look at the image's manifest (`docker manifest inspect`), or use an -efa tag of 1.3 or later, which "
        "is published for both."
    ),
)
def efa_image_architecture(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """The EFA images of Dynamo 1.2 run on amd64 nodes."""
    for image, landing in _misplaced(graph, template, is_disputed=True):
        yield (
            f"its image {image.name} may hold {image.architecture} alone, and it can land on "
            f"{landing.architecture} ({landing.source})"
        )


def _misplaced(
    graph: ResourceGraph, template: PodTemplate, *, is_disputed: bool
) -> Iterator[tuple[_SuffixedImage, _NodeArchitecture]]:
    """Images, and the architectures that the pod can land on and they are not made for."""
    for image in _suffixed_images(template):
        if image.is_disputed is not is_disputed:
            continue
        for landing in _node_architectures(graph, template):
            if landing.architecture != image.architecture:
                yield image, landing


def _suffixed_images(template: PodTemplate) -> Sequence[_SuffixedImage]:
    """The images of the pod's containers that name an architecture, each once."""
    found: dict[str, _SuffixedImage] = {}
    for container in template.containers:
        image = read_image(container)
        match = None if image is None else _SUFFIX.search(image.tag or "")
        if image is not None and match is not None:
            architecture = _SAME.get(match[1], match[1])
            is_disputed = _DISPUTED.fullmatch(image.tag or "") is not None
            found[image.text] = _SuffixedImage(image.text, architecture, is_disputed)
    return tuple(found.values())


def _node_architectures(graph: ResourceGraph, template: PodTemplate) -> Sequence[_NodeArchitecture]:
    """What the pod's own selection says, else the pools that it can land on."""
    selected = tuple(_selected(template))
    if selected:
        return selected
    if not read_pools(graph) or template not in templates_with_gpus(graph):
        # Pools are the nodes with GPUs; of the others nothing is told.
        raise Undecided(
            "its image is made for one architecture, but neither a selection by "
            f"{ARCHITECTURE_LABEL} nor a pool of nodes with GPUs says which its nodes have"
        )
    found: dict[str, _NodeArchitecture] = {}
    for pool in selected_pools(graph, template):
        architecture = pool.instance_type.cpu_architecture
        source = f"pool {pool.name} of {pool.instance_type.name}"
        found.setdefault(architecture, _NodeArchitecture(architecture, source))
    return tuple(found.values())


def _selected(template: PodTemplate) -> Iterator[_NodeArchitecture]:
    labels = [label for label in required_labels(template.spec) if label.operator == "In"]
    for label in labels:
        if label.key == ARCHITECTURE_LABEL:
            yield from (_NodeArchitecture(value, f"{label.key}={value}") for value in label.values if value)
            return
    products = [value for label in labels if label.key == PRODUCT_LABEL for value in label.values if value]
    for node in INSTANCE_TYPES.values():
        if node.accelerator.product_label in products:
            source = f"{PRODUCT_LABEL}={node.accelerator.product_label}"
            yield _NodeArchitecture(node.cpu_architecture, source)
            return


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "The recipe and its numbers are of four GB200. On B200 and B300 it should start, and nobody has "
        "published what it does there. (On Hopper its expert kernels are another rule's matter.)"
    ),
    source="ai-dynamo/dynamo docs, recipe gpt-oss-120b 1.2.1 (4x GB200, ARM64); ai-dynamo/dynamo#9914",
    lines=("Dynamo 1.2",),
    fix="Place it on GB200, or measure it before anybody relies on it.",
)
def aggregated_recipe_hardware(graph: ResourceGraph, each: TensorRtLlmWorker) -> Iterator[str]:
    """The aggregated recipe runs on the GPUs that it was published for."""
    # NVIDIA's guide for trtllm-serve has the same settings for B200, H200 and GB200.
    if each.settings.command.engine != TENSORRT_LLM or read_gpt_oss(each.worker) is None:
        return
    if not each.settings.switch("enable_attention_dp") or read_role(each.worker) != "aggregated":
        return
    landing = read_landing(graph, each.worker)
    for accelerator in landing.accelerators:
        if _is_x86_blackwell(accelerator):
            yield (
                "serves prefill and decode in one with attention data parallelism, which is published for "
                f"GB200 (arm64) only, and can land on {accelerator.name} (amd64, {landing.source})"
            )


def _is_x86_blackwell(accelerator: Accelerator) -> bool:
    return accelerator.architecture_family == "blackwell" and any(
        node.accelerator is accelerator and node.cpu_architecture == "amd64"
        for node in INSTANCE_TYPES.values()
    )
