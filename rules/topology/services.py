"""Whether a Service leads to pods, at a port that they have."""

from collections.abc import Iterator, Mapping, Sequence

from resource_graph import Resource, ResourceGraph, Value
from resource_graph.spelling import SLIPS, slip_of
from rules.reading.pods.operator_defaults import pod_ports, port_names
from rules.reading.pods.pods import PodTemplate, may_be_one, read_pods, readable
from rules.reading.pods.reach import loopback_server, selected_pods
from rules.reading.pods.workers import server_port, servers_of
from rules.reading.shapes import field, grouped, mapping_at, mappings_at, memoized, text_at
from rules.rule import EVERY_RELEASE, Advice, Said, Severity, kubernetes_objects, rule


@rule(
    kubernetes_objects("Service"),
    severity=Severity.MANDATORY,
    reason=(
        "A Service without pods behind it, or with a target port that they do not have, has no endpoint: "
        "clients and benchmarks get no answer, and every pod is Ready all the same; nor from a server on the "
        "pod's loopback address, unless another container hands requests on. Where the labels differ "
        "by more than a letter or two, the pods may stand in another file (advice), and where another port "
        "of the Service leads to the server, it answers (advice)."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/services-networking/service/; labels of a graph's pods: "
        "ai-dynamo/dynamo deploy/operator/internal/consts"
    ),
    lines=EVERY_RELEASE,
    fix="Select labels that the pods carry, and a port of their containers, by its name or its number.",
)
def service_reaches_pods(graph: ResourceGraph, service: Resource) -> Iterator[Said]:
    """Service selects no pod, or a port that its pods lack."""
    written = mapping_at(service.inputs, "spec", "selector")
    selector = {key: text_at(written, key) for key in written}
    selected = selected_pods(graph, service)
    if selected:
        yield from _ports(graph, service, selected)
    elif selector and service.origin is not None:
        pods = _by_file(graph).get(service.origin.file, ())
        yield from _nearly_selected(
            selector, [pod for pod in pods if may_be_one(service.namespace, pod.resource.namespace)]
        )


@memoized
def _by_file(graph: ResourceGraph) -> Mapping[str, Sequence[PodTemplate]]:
    """File -> the pods that it describes; none of a program, whose Services may select a chart's pods."""
    pods = readable(read_pods(graph))
    return grouped((origin.file, pod) for pod in pods if (origin := pod.resource.origin) is not None)


def _nearly_selected(selector: Mapping[str, str | None], pods: Sequence[PodTemplate]) -> Iterator[Said]:
    """The pods that were meant: those that have every label of the selector, with other values."""
    wanted = ", ".join(f"{key}={text}" for key, text in selector.items())
    for pod in pods:
        has = {key: text for key in selector if isinstance(text := field(pod.labels, key), str)}
        if has.keys() != selector.keys():
            continue
        others = {key: text for key, text in has.items() if text != selector[key]}
        shown = ", ".join(f"{key}={text}" for key, text in others.items())
        message = f"selects {wanted}, and no pod that was read has that; those of {pod.name} have {shown}"
        is_slip = all(slip_of(str(selector[key]), [text], SLIPS) for key, text in others.items())
        yield message if is_slip else Advice(message)
        return


def _ports(graph: ResourceGraph, service: Resource, pods: Sequence[PodTemplate]) -> Iterator[Said]:
    unreached: list[str] = []
    ports = mappings_at(service.inputs, "spec", "ports")
    for port in ports:
        target = field(port, "targetPort")
        target = field(port, "port") if target is None else target
        # A Service chooses among pods; one that has the port is enough for an answer.
        missing = [said for pod in pods if (said := _missing(graph, pod, target)) is not None]
        if len(missing) == len(pods):
            unreached.append(missing[0])
    # Where another port leads to the server, it answers; the engine may publish events at this one.
    yield from unreached if len(unreached) == len(ports) else map(Advice, unreached)


def _missing(graph: ResourceGraph, pod: PodTemplate, target: Value) -> str | None:
    """Why the pods do not have the target port; None where they do, or may."""
    declared = pod_ports(pod)
    if isinstance(target, str) and not target.isdigit() and target not in declared:
        said = f"leads to port {target} of {pod.name}, and no port of its containers is called so"
        return None if target in port_names(pod) else said
    number = declared[target] if isinstance(target, str) and target in declared else target
    alone = loopback_server(graph, pod)
    loopback, listens = alone or (None, "")
    if loopback is not None and str(loopback) == str(number):
        return (
            f"leads to port {number} of {pod.name}, which {listens}: no other pod reaches it; write 0.0.0.0"
        )
    listening = [server_port(server) for server in servers_of(graph, pod)]
    # Which other containers listen where, nobody has to write.
    if len(listening) != len(pod.containers) or any(str(each.value) == str(number) for each in listening):
        return None
    said = ", ".join(f"{each.value} ({each.source})" for each in listening)
    return f"leads to port {number} of {pod.name}, which listens on {said}"
