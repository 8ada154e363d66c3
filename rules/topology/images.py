"""Whether images and recipes run on the hardware that they were made for."""

import re
from collections.abc import Iterable, Iterator

from hardware import ACCELERATORS, Accelerator
from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Severity
from rules.reading.commands.container_commands import TENSORRT_LLM
from rules.reading.disaggregation import read_role
from rules.reading.engines.models import read_gpt_oss
from rules.reading.gpu_pods import templates_with_gpus
from rules.reading.placements import (
    ARCHITECTURE_LABEL,
    PRODUCT_LABEL,
    read_landing,
    required_labels,
    selected_pools,
)
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
    for image, architecture, landing in _misplaced(graph, template, is_disputed=False):
        yield f"its image {image} is made for {architecture}, but it can land on {landing}"


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
    for image, architecture, landing in _misplaced(graph, template, is_disputed=True):
        yield f"its image {image} may hold {architecture} alone, and it can land on {landing}"


def _misplaced(
    graph: ResourceGraph, template: PodTemplate, *, is_disputed: bool
) -> Iterator[tuple[str, str, str]]:
    """Images, the architecture that each is made for, and others that the pod can land on."""
    images = (read_image(container) for container in template.containers)
    for text, tag in {image.text: image.tag or "" for image in images if image is not None}.items():
        suffix = _SUFFIX.search(tag)
        if suffix is None or (_DISPUTED.fullmatch(tag) is not None) is not is_disputed:
            continue
        made_for = _SAME.get(suffix[1], suffix[1])
        for architecture, source in _node_architectures(graph, template):
            if architecture != made_for:
                yield text, made_for, f"{architecture} ({source})"


def _node_architectures(graph: ResourceGraph, template: PodTemplate) -> Iterable[tuple[str, str]]:
    """Architectures of the pod's own selection, else of the pools that it can land on, with sources."""
    selected = tuple(_selected(template))
    if selected:
        return selected
    if not read_pools(graph) or template not in templates_with_gpus(graph):
        # Pools are the nodes with GPUs; nothing is known of the other nodes.
        raise Undecided(
            "its image is made for one architecture, but neither a selection by "
            f"{ARCHITECTURE_LABEL} nor a pool of nodes with GPUs says which its nodes have"
        )
    found: dict[str, str] = {}
    for pool in selected_pools(graph, template):
        source = f"pool {pool.name} of {pool.instance_type.name}"
        found.setdefault(pool.instance_type.cpu_architecture, source)
    return found.items()


def _selected(template: PodTemplate) -> Iterator[tuple[str, str]]:
    labels = [label for label in required_labels(template.spec) if label.operator == "In"]
    for label in labels:
        if label.key == ARCHITECTURE_LABEL:
            yield from ((value, f"{label.key}={value}") for value in label.values if value)
            return
    products = {value for label in labels if label.key == PRODUCT_LABEL for value in label.values}
    for accelerator in ACCELERATORS.values():
        if accelerator.product_label in products:
            yield accelerator.host.cpu_architecture, f"{PRODUCT_LABEL}={accelerator.product_label}"
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
    return accelerator.architecture_family == "blackwell" and accelerator.host.cpu_architecture == "amd64"
