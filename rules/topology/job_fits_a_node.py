"""A node has room for each pod of a Job, beside the workers that are there."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.nodes.node_room import knows_nodes_without_gpus, rooms_for
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.pods.resources import requested
from rules.reading.quantities import quantity
from rules.reading.shapes import Undecided

_KINDS = frozenset({"Job", "CronJob"})


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, lambda template: _check_template(graph, template))


def _check_template(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    if template.resource.kind not in _KINDS:
        return
    cpus, memory = _requests(template, "cpu"), _requests(template, "memory") / 2**30
    if not cpus and not memory:
        return
    rooms = rooms_for(graph, template)
    # Not all of it: daemon sets take a part of every node.
    if not rooms or any(cpus < room.cpus and memory < room.memory_gib for room in rooms):
        return
    nodes = "; ".join(dict.fromkeys(room.node for room in rooms))
    message = f"asks for {cpus:g} CPUs and {memory:g} GiB, but {nodes}"
    if not knows_nodes_without_gpus(graph):
        raise Undecided(f"{message}, and nothing says which other nodes there are")
    yield failed(template.resource, template.name, message)


def _requests(template: PodTemplate, resource: str) -> float:
    amounts = [requested(template, container, resource) for container in template.containers]
    return float(sum(quantity(amount, resource) for amount in amounts if amount is not None))


RULE = Rule(
    id="job-fits-a-node",
    title="A node has room for each pod of a Job",
    severity=Severity.ADVISORY,
    reason=(
        "Workers are given nearly all of their node, and system nodes are small: a Job that asks for more "
        "than either leaves stays Pending until its deadline, and has then measured or loaded nothing."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/; what EKS reserves: "
        "awslabs/amazon-eks-ami nodeadm/internal/kubelet/config.go at 81fec2e"
    ),
    lines=EVERY_RELEASE,
    fix="Ask for less (without a limit a container may use what is idle), or for a larger system node.",
    check=_check,
)
