"""What each node with GPUs says of itself."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from kubernetes.utils.quantity import parse_quantity

from components.cluster_answer import KubernetesObject, labels_of
from failures.pods_and_events import allocatable_gpus, is_ready
from hardware import ACCELERATORS, GPU_RESOURCE, INSTANCE_TYPES, Accelerator, InstanceType

PRODUCT = "nvidia.com/gpu.product"
CLIQUE = "nvidia.com/gpu.clique"
GKE_ACCELERATOR = "cloud.google.com/gke-accelerator"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
_PRESENT = ("nvidia.com/gpu.present", "kubernetes.azure.com/accelerator")
SIGNS = (PRODUCT, GKE_ACCELERATOR, *_PRESENT)
"""Labels by which a node with GPUs is known, beside its allocatable nvidia.com/gpu."""

# Kubernetes and clouds put these on nodes that are not ready or going away, and take them off again.
_PASSING_TAINTS = (
    "node.kubernetes.io/",
    "node.cloudprovider.kubernetes.io/",
    "DeletionCandidateOfClusterAutoscaler",
)
_GIB = 2**30


@dataclass(frozen=True, slots=True)
class GpuNode:
    """One node with GPUs that takes pods."""

    name: str
    labels: Mapping[str, str]
    accelerator: Accelerator
    found_by: Mapping[str, str]
    """Labels by which pods find its GPUs; empty: their product, which the accelerator has everywhere."""
    gpus: int
    """Allocatable, as all that follows."""
    cpus: int
    memory_gib: int
    devices: tuple[str, ...]
    """Names of further extended resources, such as rdma/ib."""
    taints: tuple[tuple[str, str, str], ...]
    """Key, value, effect; without those that come and go."""

    @property
    def architecture(self) -> str:
        """Architecture of its processors, such as amd64; empty where no label says."""
        return self.labels.get("kubernetes.io/arch", "")

    @property
    def clique(self) -> str:
        """NVLink domain; empty where no label names one."""
        return self.labels.get(CLIQUE, "")

    @property
    def selector(self) -> tuple[str, ...]:
        """What workers find it by; pools with one selector are told apart by a label of the cloud."""
        return (self.accelerator.name, *self.found_by.values(), self.architecture)

    @property
    def sold(self) -> InstanceType | None:
        """The EC2 instance type of a node that is one, complete and with GPUs found by their product."""
        sold = INSTANCE_TYPES.get(self.labels.get(INSTANCE_TYPE, ""))
        is_whole = sold is not None and sold.accelerator is self.accelerator and sold.gpus == self.gpus
        # Of an instance type nobody says taints: others than that of GPUs need a description.
        is_plain = all(key == GPU_RESOURCE and effect == "NoSchedule" for key, _, effect in self.taints)
        return sold if is_whole and is_plain and not self.found_by else None


def read_node(node: KubernetesObject) -> GpuNode | str | None:
    """Return a node with GPUs, or why no pool can be made of it; None of one without GPUs."""
    labels = labels_of(node)
    offered = node.get("status", {}).get("allocatable") or {}
    gpus = allocatable_gpus(node)
    if not gpus and not any(sign in labels for sign in SIGNS):
        return None
    if not gpus:
        return f"no allocatable {GPU_RESOURCE}: no device plugin runs there, or all of its GPUs are broken"
    if not is_ready(node):
        return "not ready"
    if node.get("spec", {}).get("unschedulable"):
        return "cordoned"
    model = _model(labels)
    if isinstance(model, str):
        return model
    accelerator, found_by = model
    further = (key for key in offered if "/" in key and not key.startswith(GPU_RESOURCE))
    taints = (
        (taint["key"], taint.get("value") or "", taint["effect"])
        for taint in node.get("spec", {}).get("taints") or []
        if not taint["key"].startswith(_PASSING_TAINTS)
    )
    return GpuNode(
        name=node["metadata"]["name"],
        labels=labels,
        accelerator=accelerator,
        found_by=found_by,
        gpus=gpus,
        cpus=math.floor(parse_quantity(offered.get("cpu", "0"))),
        memory_gib=math.floor(parse_quantity(offered.get("memory", "0")) / _GIB),
        devices=tuple(sorted(key for key in further if parse_quantity(offered[key]) > 0)),
        taints=tuple(sorted(taints)),
    )


def _model(labels: Mapping[str, str]) -> tuple[Accelerator, Mapping[str, str]] | str:
    """Return the model of a node's GPUs, and the labels by which pods find them; or why it is not known."""
    product, of_gke = labels.get(PRODUCT), labels.get(GKE_ACCELERATOR)
    if product is not None:
        known = {each.product_label: each for each in ACCELERATORS.values()}
        if product in known:
            return known[product], {}
        if any(product.startswith(f"{label}-") for label in known):
            return f"{PRODUCT}={product}: its GPUs are shared or cut up, and workers need whole ones"
        return f"{PRODUCT}={product} is none of {', '.join(known)}"
    if of_gke is not None:
        parts = of_gke.upper().split("-")
        model = next((ACCELERATORS[part] for part in parts if part in ACCELERATORS), None)
        if model is None:
            return f"{GKE_ACCELERATOR}={of_gke} is none of {', '.join(ACCELERATORS)}"
        return model, {GKE_ACCELERATOR: of_gke}
    return f"neither {PRODUCT} (NVIDIA's feature discovery sets it) nor {GKE_ACCELERATOR} says which GPUs"
