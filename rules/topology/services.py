"""Whether a Service leads to pods, at a port that they have."""

import re
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import Resource, ResourceGraph, Value
from resource_graph.spelling import SLIPS, slip_of
from rules.reading.commands.container_commands import command_line
from rules.reading.engines.settings import is_vllm, read_settings
from rules.reading.pods.operator_defaults import pod_ports, port_names
from rules.reading.pods.pods import PodTemplate, may_be_one, read_pods, readable
from rules.reading.pods.reach import loopback_server, selected_pods
from rules.reading.pods.workers import Worker, server_port, servers_of
from rules.reading.shapes import attempted, field, grouped, known, mapping_at, mappings_at, memoized, text_at
from rules.rule import EVERY_RELEASE, Advice, Said, Severity, kubernetes_objects, observed, rule

_EVENTS_PORT = 5557
"""Port of KV events where the option names none (vllm 0.20.1 vllm/config/kv_events.py)."""
_OF_RAY = frozenset({"6379", "8265", "10001"})
"""Ports of Ray's head: its store, its dashboard and its clients (https://docs.ray.io/en/latest/ray-core/configure.html)."""
_BETWEEN_NODES = frozenset({"29501", "29550"})
"""Ports at which an engine's nodes find its first one (vllm/config/parallel.py, master_port and
data_parallel_rpc_port)."""


@rule(
    kubernetes_objects("Service"),
    severity=Severity.MANDATORY,
    reason=(
        "A Service without pods behind it, or with a target port that they do not have, has no endpoint: "
        "clients and benchmarks get no answer, and every pod is Ready all the same; nor from a server on the "
        "pod's loopback address, unless another container hands requests on. Where the labels differ "
        "by more than a letter or two, the pods may stand in another file (advice); where another port of "
        "the Service leads to a server, it answers, and of a headless one clients name the port (advice)."
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
    ports = mappings_at(service.inputs, "spec", "ports")
    # Where another port leads to the server, it answers; the engine may publish events at this one.
    is_answered = any(known(_is_answered, graph, pods, port) for port in ports)
    # A headless Service gives the pods' addresses, whose ports a client names itself.
    if text_at(service.inputs, "spec", "clusterIP") == "None":
        is_answered = is_answered or not any(known(loopback_server, graph, pod) for pod in pods)
    for index, port in enumerate(ports):
        said = attempted(_unreached, graph, pods, port)
        if said is not None:
            shown = Advice(said) if is_answered and isinstance(said, str) else said
            yield observed(service, service.name, shown, ("spec", "ports", index))


def _is_answered(graph: ResourceGraph, pods: Sequence[PodTemplate], port: Mapping[str, Value]) -> bool:
    """Whether the port leads to a server, or to pods of which nobody knows what they serve."""
    listening = ((pod, [str(server_port(each).value) for each in servers_of(graph, pod)]) for pod in pods)
    return _unreached(graph, pods, port) is None and any(
        len(own) < len(pod.containers) or str(_number(pod, port)) in own for pod, own in listening
    )


def _unreached(graph: ResourceGraph, pods: Sequence[PodTemplate], port: Mapping[str, Value]) -> str | None:
    # A Service chooses among pods; one that has the port is enough for an answer.
    missing = [_missing(graph, pod, port) for pod in pods]
    return None if None in missing else missing[0]


def _number(pod: PodTemplate, port: Mapping[str, Value]) -> Value:
    """The port of the pods, by its number where a container declares the name."""
    target = field(port, "targetPort") or field(port, "port")
    return pod_ports(pod).get(target, target) if isinstance(target, str) else target


def _missing(graph: ResourceGraph, pod: PodTemplate, port: Mapping[str, Value]) -> str | None:
    """Why the pods do not have the target port; None where they do, or may."""
    number = _number(pod, port)
    if isinstance(number, str) and not number.isdigit():
        said = f"leads to port {number} of {pod.name}, and no port of its containers is called so"
        return None if number in port_names(pod) else said
    own_port, listens = loopback_server(graph, pod) or (None, "")
    if own_port is not None and str(own_port) == str(number):
        return (
            f"leads to port {number} of {pod.name}, which {listens}: no other pod reaches it; write 0.0.0.0"
        )
    servers = servers_of(graph, pod)
    listening = [server_port(server) for server in servers]
    # Which other containers listen where, nobody has to write.
    if len(listening) != len(pod.containers) or any(str(each.value) == str(number) for each in listening):
        return None
    if any(_may_have_it_too(graph, server, str(number)) for server in servers):
        return None
    said = ", ".join(f"{each.value} ({each.source})" for each in listening)
    return f"leads to port {number} of {pod.name}, which listens on {said}"


def _may_have_it_too(graph: ResourceGraph, server: Worker, number: str) -> bool:
    """Whether the port is one of KV events, to which each rank adds its own number, or of another program."""
    said = " ".join(word or "" for word in command_line(server.container))
    # A variable of the command may be any port.
    is_of_ray = "ray start" in said and (number in _OF_RAY or re.search(r"port[= ][\"']?\$", said))
    is_named = re.search(rf"[-_]port[=\s\\]+[\"']?{re.escape(number)}\b", said)
    if is_of_ray or is_named or number in _BETWEEN_NODES:
        return True
    if not is_vllm(server):
        return False
    settings = read_settings(graph, server)
    events = settings.mapping("kv_events_config")
    if not events or not number.isdigit():
        return False
    ports = [int(port) for port in re.findall(r":(\d+)", " ".join(map(str, events.values())))]
    ranks = settings.count("data_parallel_size", default=1).value
    return any(0 <= int(number) - port < ranks for port in ports or [_EVENTS_PORT])
