"""Whether pods ask for GPUs by the name that nodes offer them under."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Severity, failed
from rules.reading.gpu_names import misspelt_gpus
from rules.reading.pods.containers import all_containers
from rules.reading.pods.pods import PodTemplate
from rules.reading.pods.workers import GPU_RESOURCE
from rules.rule import rule
from rules.subjects import READABLE_PODS


@rule(
    READABLE_PODS,
    severity=Severity.MANDATORY,
    reason=(
        "Kubernetes takes any name of a resource, and looks for a node that has it: the pod stays Pending "
        "for ever, with Insufficient nvidia.com/gpus. NVIDIA's device plugin has one name for GPUs."
    ),
    source=(
        "NVIDIA/k8s-device-plugin (DisableResourceNamingInConfig: no other name but with .shared); "
        "https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/"
    ),
    lines=EVERY_RELEASE,
    fix="Write nvidia.com/gpu, in small letters and without an s.",
)
def gpu_resource_is_offered(_: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    """Pod asks for GPUs by a name that no node offers."""
    for name, container in all_containers(template):
        subject = name if template.shape == "workload" else template.name
        for written in misspelt_gpus(template, container):
            yield failed(
                template.resource,
                subject,
                f"asks for {written}, which no node offers: the pod stays Pending; GPUs are {GPU_RESOURCE}",
            )
