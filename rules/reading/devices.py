"""Devices that pods ask for: GPUs, those of the network, and resource claims, such as of channels."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hardware import GPU_RESOURCE
from resource_graph import Resource, ResourceGraph, Value
from rules.reading.commands.container_commands import mentions
from rules.reading.pods.containers import environment_entries, read_image, resources
from rules.reading.pods.pods import PodTemplate, may_be_one
from rules.reading.pods.workers import Worker
from rules.reading.shapes import (
    Undecided,
    grouped,
    known,
    mapping_at,
    mappings_at,
    memoized,
    text_at,
    whole_number,
)

EFA_RESOURCE = "vpc.amazonaws.com/efa"
EFA_DEVICE_CLASS = "efa.networking.k8s.aws"
"""Device class of EFA under DRANET on EKS
(https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html)."""
_RDMA = re.compile(r"rdma|roce|infiniband|mlnx|hostdev|(?<![a-z])(?:ib|hca)(?![a-z])", re.IGNORECASE)
"""What names of InfiniBand and RoCE devices have in common.

rdma/ib and rdma/shared_ib (InfiniBand, AKS, CoreWeave), networking.gke.io.networks/rdma-0 (GKE),
openshift.io/…rdma… and nvidia.com/hostdev (SR-IOV), vke.volcengine.com/rdma, aliyun/erdma; device classes
roce.networking.k8s.aws and mrdma.google.com.
"""
_ADDRESS_OF_GKE = ".IP"
"""Ending of the resource that GKE has for the address beside each of its networks, which is no device."""
CHANNEL_DEVICE_CLASS = "compute-domain-default-channel.nvidia.com"
_DOMAIN_KIND = "ComputeDomain"
CLAIM_TEMPLATE = "ResourceClaimTemplate"
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
_OTHER_DEVICE = re.compile(r"(?:^|\s)--device[= ]+['\"]?(?:\$|(?:cpu|tpu|xpu|hpu|npu|neuron)\b)")
"""An option of vLLM up to 0.10, for whatever is no GPU."""
_SHOWN_BY = "NVIDIA_VISIBLE_DEVICES"
_ORDINARY = frozenset({"cpu", "memory", "ephemeral-storage"})
_NO_ACCELERATOR = re.compile(r"hugepages-.*|.*(?:rdma|efa|roce|hostdev|\bib\b|hca|ephemeral).*")


def is_rdma(resource: str) -> bool:
    """Whether an extended resource or a device class is one of InfiniBand or RoCE devices."""
    return _RDMA.search(resource) is not None and not resource.endswith(_ADDRESS_OF_GKE)


def network_devices(template: PodTemplate, container: Mapping[str, Value]) -> Sequence[tuple[str, Value]]:
    """The EFA, InfiniBand and RoCE devices that a container asks for, by which KV cache can travel."""
    asked = _asked(template, container).items()
    return [each for each in asked if each[0] == EFA_RESOURCE or ("/" in each[0] and is_rdma(each[0]))]


def efa_interfaces(worker: Worker) -> int:
    """How many EFA interfaces one pod asks the device plugin for."""
    return dict(_amounts(worker)).get(EFA_RESOURCE, 0)


def rdma_devices(worker: Worker) -> Mapping[str, int]:
    """The InfiniBand and RoCE resources that one pod asks for, each with its amount."""
    return {name: amount for name, amount in _amounts(worker) if amount and name != EFA_RESOURCE}


@dataclass(frozen=True, slots=True)
class DeviceClaim:
    """One claim of a pod."""

    name: str
    template: str | None
    """Name of the ResourceClaimTemplate behind the claim; None for a claim that exists by itself, whose
    device classes are not read."""
    device_classes: frozenset[str] | None
    """Device classes that the claim's requests ask for; None where nothing in the graph describes the
    claim."""
    domain: Resource | None
    """The ComputeDomain whose controller makes the template; None for any other claim."""
    used: bool
    """Whether a container of the pod uses the claim in resources.claims."""

    @property
    def is_channel(self) -> bool:
        """Whether the claim is known to be of a compute domain's channel."""
        return self.device_classes is not None and CHANNEL_DEVICE_CLASS in self.device_classes


@memoized
def read_device_claims(graph: ResourceGraph, template: PodTemplate) -> Sequence[DeviceClaim]:
    """All claims of the pod, in its order."""
    used = frozenset(containers_claims(template))
    claims = mappings_at(template.spec, "resourceClaims")
    return [_device_claim(graph, template.resource.namespace, claim, used) for claim in claims]


def containers_claims(template: PodTemplate) -> Iterator[str]:
    """Names of the claims that the pod's containers use."""
    # A v1alpha1 service has them beside its pod, everything else in the containers, of which one is enough.
    beside = (template.described_by,) if template.shape == "service" else ()
    for container in (*beside, *template.all_containers):
        yield from (claim_name(claim) for claim in mappings_at(container, "resources", "claims"))


def claim_name(claim: Mapping[str, Value]) -> str:
    """The name by which pod and container mean one claim."""
    return text_at(claim, "name") or "unnamed claim"


def read_channel_claims(graph: ResourceGraph, worker: Worker) -> Sequence[DeviceClaim]:
    """The claims of the worker's pod by which it gets a compute domain's channel."""
    claims = read_device_claims(graph, worker.template)
    for claim in claims:
        if claim.device_classes is None:
            what = f"template {claim.template}" if claim.template else claim.name
            raise Undecided(
                f"nothing here says what the claim {what} asks for; if it is a compute "
                "domain's, judge its ComputeDomain together with the graph"
            )
    return [claim for claim in claims if claim.is_channel]


def claiming_pods(worker: Worker) -> int:
    """How many pods of the worker run at once."""
    return worker.template.replicas * worker.pods_per_worker


def misspelt_gpus(template: PodTemplate, container: Mapping[str, Value]) -> Sequence[str]:
    """Each name of a resource that was meant for GPUs, and that no node offers."""
    names = _asked(template, container)
    return [name for name in names if name != GPU_RESOURCE and _MISSPELT.fullmatch(name)]


def other_accelerators(template: PodTemplate, container: Mapping[str, Value]) -> Sequence[str]:
    """What may stand for GPUs: TPUs, parts of GPUs, other makers' GPUs, all of the node's, or none."""
    image = known(read_image, container)
    if image is not None and _WITHOUT_GPU.search(image.text):
        return [f"image {image.text}"]
    if known(mentions, container, _OTHER_DEVICE):
        return ["option --device"]
    if "runtimeClassName" in template.spec:
        return ["runtimeClassName"]
    # Where NVIDIA's runtime is the node's default, the variable brings GPUs that nobody counts.
    if any(text_at(each, "name") == _SHOWN_BY for each in environment_entries(template, container)):
        return [_SHOWN_BY]
    return [
        name
        for name in _asked(template, container)
        if name not in _ORDINARY
        and name != GPU_RESOURCE
        and not _NO_ACCELERATOR.fullmatch(name)
        and not _MISSPELT.fullmatch(name)
    ]


@memoized
def domains_by_template(graph: ResourceGraph) -> Mapping[str, Sequence[Resource]]:
    """Name of a claim template -> the ComputeDomains, of any namespace, that make it."""
    # A claim of an unreadable resource is described by nothing, which is undecided.
    path = ("spec", "channel", "resourceClaimTemplate", "name")
    domains = graph.kubernetes_objects(_DOMAIN_KIND)
    return grouped(
        (name, each) for each in domains if (name := known(text_at, each.inputs, *path)) is not None
    )


def _amounts(worker: Worker) -> Iterator[tuple[str, int]]:
    for name, amount in network_devices(worker.template, worker.container):
        yield name, whole_number(amount, f"the amount of {name}")


def _device_claim(
    graph: ResourceGraph, namespace: Value, claim: Mapping[str, Value], used: frozenset[str]
) -> DeviceClaim:
    name, template = claim_name(claim), text_at(claim, "resourceClaimTemplateName")
    if template is None:
        return DeviceClaim(name, None, None, None, name in used)
    for domain in domains_by_template(graph).get(template, ()):
        if may_be_one(domain.namespace, namespace):
            return DeviceClaim(name, template, frozenset({CHANNEL_DEVICE_CLASS}), domain, name in used)
    described = graph.kubernetes_objects_named(CLAIM_TEMPLATE, template, namespace)
    return DeviceClaim(name, template, _device_classes(described), None, name in used)


def _device_classes(described: Sequence[Resource]) -> frozenset[str] | None:
    specs = (mapping_at(item.inputs, "spec", "spec") for item in described)
    return frozenset(name for spec in specs for name in _requested(spec)) if described else None


def _requested(spec: Mapping[str, Value]) -> Iterator[str]:
    for request in mappings_at(spec, "devices", "requests"):
        # The name moved below `exactly` with resource.k8s.io/v1beta2.
        places = (request, mapping_at(request, "exactly"), *mappings_at(request, "firstAvailable"))
        names = (text_at(place, "deviceClassName") for place in places)
        yield from (name for name in names if name is not None)


def _asked(template: PodTemplate, container: Mapping[str, Value]) -> Mapping[str, Value]:
    """Each resource that a container has among its limits or its requests."""
    return {**resources(template, container, "requests"), **resources(template, container, "limits")}
