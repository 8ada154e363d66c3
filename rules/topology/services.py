"""Whether a Service leads to pods, at a port that they have."""

from collections.abc import Iterator, Mapping, Sequence

from engines.effective import VLLM
from resource_graph import Resource, ResourceGraph, Value
from resource_graph.spelling import SLIPS, slip_of
from resource_graph.values import Path
from rules.reading.objects.definitions import built_in_kinds, group_of
from rules.reading.pods.containers import environment_entries
from rules.reading.pods.operator_defaults import pod_ports, port_names
from rules.reading.pods.pods import PodTemplate, may_be_one, read_pods, readable
from rules.reading.pods.reach import loopback_server, selected_pods
from rules.reading.pods.workers import server_port, servers_of, workers_of_pods
from rules.reading.shapes import field, grouped, mapping_at, mappings_at, memoized, text_at
from rules.rule import (
    EVERY_RELEASE,
    Advice,
    Observation,
    Said,
    Severity,
    advised,
    failed,
    graph_rule,
    kubernetes_objects,
)

_PORT_OF_VLLM = "VLLM_PORT"
_SERVICE = "Service"
_OF_AN_ANNOTATION = "use-annotation"
"""Port of a backend that an annotation describes (AWS load balancer controller, ingress annotations)."""
_CORE_GROUPS = frozenset({"apps", "leaderworkerset.x-k8s.io"})


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "A Service without pods behind it, or with a target port that they do not have, has no endpoint: "
        "clients and benchmarks get no answer, and every pod is Ready all the same; nor from a server on the "
        "pod's loopback address, unless another container hands requests on. Where the labels differ "
        "by more than a letter or two, the pods may stand in another file (advice). An Ingress to a port "
        "that the Service lacks answers every request with an error; one to a Service of another name may "
        "mean one that was not read (advice). Of a Service named vllm Kubernetes tells later pods as "
        "VLLM_PORT=tcp://…, where vLLM looks for a number and ends."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/services-networking/service/; labels of a graph's pods: "
        "ai-dynamo/dynamo deploy/operator/internal/consts; vllm-project/vllm vllm/envs.py, get_vllm_port; "
        "https://kubernetes.io/docs/concepts/services-networking/ingress/"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Select labels that the pods carry, and a port of their containers, by its name or its number; lead "
        "an Ingress to a port of the Service, not of its pods; call no Service vllm, or set "
        "enableServiceLinks: false in the pods."
    ),
)
def service_reaches_pods(graph: ResourceGraph) -> Iterator[Observation]:
    """Service selects no pod or a port that its pods lack, an Ingress a port that the Service lacks."""
    yield from kubernetes_objects(_SERVICE).judge(graph, _service)
    yield from kubernetes_objects("Ingress").judge(graph, _ingress)


def _service(graph: ResourceGraph, service: Resource) -> Iterator[Said]:
    yield from _told_as_port(graph, service)
    written = mapping_at(service.inputs, "spec", "selector")
    selector = {key: text_at(written, key) for key in written}
    if not selector:
        # Its endpoints are written by hand, or it is another name of something outside.
        return
    selected = selected_pods(graph, service)
    if selected:
        yield from _ports(graph, service, selected)
    elif service.origin is not None:
        pods = _by_file(graph).get(service.origin.file, ())
        beside = [pod for pod in pods if may_be_one(service.namespace, pod.resource.namespace)]
        yield from _nearly_selected(selector, beside)
        for pod in pods:
            if pod not in beside and all(field(pod.labels, key) == text for key, text in selector.items()):
                where = f"{pod.resource.namespace}, and it stands in {service.namespace}"
                yield Advice(f"the pods that it selects, those of {pod.name}, are in namespace {where}")
                return


def _told_as_port(graph: ResourceGraph, service: Resource) -> Iterator[str]:
    """A variable of Kubernetes' own that vLLM takes for its port."""
    if service.object_name != "vllm" or field(service.inputs, "spec", "clusterIP") == "None":
        return
    for pod, workers in workers_of_pods(graph).items():
        engines = {command.engine for worker in workers for command in worker.commands}
        links = field(pod.spec, "enableServiceLinks")
        told = pod.resource.namespace == service.namespace and links is not False
        set_by_hand = any(
            text_at(entry, "name") == _PORT_OF_VLLM
            for container in pod.containers
            for entry in environment_entries(pod, container)
        )
        if told and engines & VLLM and not set_by_hand:
            yield f"pods of {pod.name} that start after it get {_PORT_OF_VLLM}=tcp://…, with which vLLM ends"


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
    for port in mappings_at(service.inputs, "spec", "ports"):
        target = field(port, "targetPort")
        target = field(port, "port") if target is None else target
        # A Service chooses among pods; one that has the port is enough for an answer.
        missing = [said for pod in pods if (said := _missing(graph, pod, target)) is not None]
        if len(missing) == len(pods):
            yield missing[0]


def _missing(graph: ResourceGraph, pod: PodTemplate, target: Value) -> Said | None:
    """Why the pods do not have the target port; None where they do, or may."""
    declared = pod_ports(pod)
    if isinstance(target, str) and not target.isdigit() and target not in declared:
        said = f"leads to port {target} of {pod.name}, and no port of its containers is called so"
        return None if target in port_names(pod) else said
    number = declared[target] if isinstance(target, str) and target in declared else target
    alone = loopback_server(graph, pod)
    if alone is not None and str(alone.port.value) == str(number):
        return f"leads to port {number} of {pod.name}, which {alone}: no other pod reaches it; write 0.0.0.0"
    listening = [server_port(server) for server in servers_of(graph, pod)]
    # Which other containers listen where, nobody has to write.
    if len(listening) != len(pod.containers) or any(str(each.value) == str(number) for each in listening):
        return None
    said = ", ".join(f"{each.value} ({each.source})" for each in listening)
    return f"leads to port {number} of {pod.name}, which listens on {said}"


def _ingress(graph: ResourceGraph, ingress: Resource) -> Iterator[Observation]:
    """Backends that are no Service of what was read, or a port that the Service does not have."""
    for at, backend in _backends(ingress):
        name = text_at(backend, "service", "name")
        port = mapping_at(backend, "service", "port")
        if name is None or text_at(port, "name") == _OF_AN_ANNOTATION:
            continue
        services = graph.kubernetes_objects_named(_SERVICE, name, ingress.namespace)
        key = "name" if port.get("name") else "number"
        asked = port.get(key)
        if not services:
            yield from _missing_service(graph, ingress, name, (*at, "service", "name"))
        elif isinstance(asked, int | str) and not any(_has_port(each, asked) for each in services):
            has = ", ".join(dict.fromkeys(port for each in services for port in _shown_ports(each)))
            said = f"leads to port {asked} of Service {name}, which has {has}: no request reaches a pod"
            # A Service that leaves its namespace to whoever applies it may not be the one that is meant.
            is_meant = any(each.namespace == ingress.namespace for each in services)
            see = failed if is_meant else advised
            yield see(ingress, ingress.name, said, (*at, "service", "port", key))


def _missing_service(graph: ResourceGraph, ingress: Resource, name: str, at: Path) -> Iterator[Observation]:
    beside = [each.name for each in _services_beside(graph, ingress)]
    meant = slip_of(name, beside, SLIPS)
    if meant is None and len(beside) == 1 and not _has_operators(graph):
        meant = beside[0]
    if meant is not None:
        said = f"leads to Service {name}; what was read makes {meant} and no {name}"
        yield advised(ingress, ingress.name, said, at)


def _backends(ingress: Resource) -> Iterator[tuple[Path, Mapping[str, Value]]]:
    """Every backend of an Ingress, and where it stands."""
    spec = mapping_at(ingress.inputs, "spec")
    yield ("spec", "defaultBackend"), mapping_at(spec, "defaultBackend")
    for number, rule in enumerate(mappings_at(spec, "rules")):
        for index, path in enumerate(mappings_at(rule, "http", "paths")):
            at = ("spec", "rules", number, "http", "paths", index, "backend")
            yield at, mapping_at(path, "backend")


def _has_port(service: Resource, asked: int | str) -> bool:
    """Whether the Service has the port, or may have it."""
    ports = mappings_at(service.inputs, "spec", "ports")
    # A patch of a Service selects nothing, and has some of its ports.
    is_whole = bool(mapping_at(service.inputs, "spec", "selector"))
    if not ports or not is_whole or text_at(service.inputs, "spec", "type") == "ExternalName":
        return True
    return any(str(field(port, key)) == str(asked) for port in ports for key in ("name", "port"))


def _shown_ports(service: Resource) -> Iterator[str]:
    for port in mappings_at(service.inputs, "spec", "ports"):
        name = text_at(port, "name")
        yield f"{port.get('port')} ({name})" if name else str(port.get("port"))


def _services_beside(graph: ResourceGraph, resource: Resource) -> Sequence[Resource]:
    """Services of the same file and namespace; none in a program, whose charts make others."""
    return [
        each
        for each in graph.kubernetes_objects(_SERVICE)
        if resource.origin is not None
        and each.origin is not None
        and each.origin.file == resource.origin.file
        and may_be_one(each.namespace, resource.namespace)
    ]


def _has_operators(graph: ResourceGraph) -> bool:
    """Whether the file has objects of which an operator makes further Services."""
    known = built_in_kinds().keys() | _CORE_GROUPS
    return any(group_of(each) not in known for each in graph.kubernetes_objects())
