"""The mounts of a v1alpha1 service reach its container."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.program.operator_line import operator_line
from rules.reading.shapes import mappings_at, text_at

_LOSES = (1, 2)
_MENDED_IN_THE_LINE = (1, 3)


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, lambda template: _check_template(graph, template))


def _check_template(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    if template.shape != "service":
        return
    lost = mappings_at(template.described_by, "volumeMounts")
    if not lost or not mappings_at(template.main, "volumeMounts"):
        return
    line = operator_line(graph, template.resource)
    what = ", ".join(f"{text_at(mount, 'name')} at {text_at(mount, 'mountPoint')}" for mount in lost)
    found = f"mounts {what} as volumeMounts of the service, beside volumeMounts of its mainContainer"
    if line == _LOSES:
        yield failed(template.resource, template.name, f"{found}, which the operator of 1.2 keeps alone")
    elif line == _MENDED_IN_THE_LINE:
        message = f"{found}, which early operators of 1.3 keep alone"
        yield undecided(template.resource, template.name, message)


RULE = Rule(
    id="service-mounts-kept",
    title="The mounts of a v1alpha1 service reach its container",
    severity=Severity.MANDATORY,
    reason=(
        "The operator of 1.2 makes a v1beta1 component of the service, and there the mounts of mainContainer "
        "take the place of the service's. The pod starts without the claim, the graph is called ready, and a "
        "worker finds no model or downloads it."
    ),
    source=(
        "ai-dynamo/dynamo#11263 (2026-07-06, taken over into a release branch by #11341); "
        "ai-dynamo/dynamo deploy/operator/api/v1alpha1/shared_spec_conversion.go at 0a132bc43, and seen with "
        "the operator built from it"
    ),
    lines=("Dynamo 1.2", "Dynamo 1.4"),
    fix=(
        "Name the claim in extraPodSpec.volumes and mount it in mainContainer.volumeMounts, with mountPath; "
        "or write the graph in v1beta1."
    ),
    check=_check,
)
