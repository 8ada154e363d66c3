"""What a graph is made of: a frontend, components of known types, and engines that share no port."""

from collections.abc import Callable, Collection, Iterator, Sequence

from engines.command_line import variable_in
from hardware import INSTANCE_TYPES
from resource_graph import ResourceGraph
from rules.reading.commands.container_commands import DYNAMO_VLLM, StartCommand
from rules.reading.disaggregation import MODE_FLAG, read_role
from rules.reading.engines.settings import is_vllm
from rules.reading.gpu_pods import GpuPods, home, read_gpu_pods
from rules.reading.kv_ways import KV_TRANSFER_CONFIG, NIXL_CONNECTOR
from rules.reading.placements import HOSTNAME, kept_apart, required_labels
from rules.reading.pods.operator_defaults import OPERATORS_PORTS, declared_ports, operator_port
from rules.reading.pods.pods import (
    COMPONENT_TYPES,
    GRAPH_KIND,
    SUB_COMPONENT_TYPES,
    PodTemplate,
    Unreadable,
    declared_type,
    read_pods,
    readable,
)
from rules.reading.pods.workers import (
    FRONTEND_TYPE,
    Worker,
    read_frontends,
    server_port,
    servers_of,
    workers_by_resource,
    workers_of_pods,
)
from rules.reading.pools import Pool
from rules.reading.releases import operator_line
from rules.reading.shapes import field, grouped, known, text_at
from rules.rule import (
    POD_TEMPLATES,
    READABLE_WORKERS,
    Advice,
    Observation,
    Severity,
    failed,
    graph_rule,
    names,
    observed,
)


@graph_rule(
    severity=Severity.ADVISORY,
    reason=(
        "Workers take requests from Dynamo's request plane only; without a frontend, or with none running, "
        "nobody can ask them anything. A frontend of another file may do it."
    ),
    source="ai-dynamo/dynamo docs/kubernetes (frontend component) at 2a6da14",
    lines=("Dynamo 1.2 to 1.6",),
    fix="Add a component of type frontend with at least one replica.",
)
def graph_has_a_frontend(graph: ResourceGraph) -> Iterator[Observation]:
    """Nothing answers HTTP for the workers of a graph."""
    if graph.kubernetes_objects("InferencePool") or _starts_a_frontend(graph):
        return
    for found in workers_by_resource(graph).values():
        group, resource = [worker for worker in readable(found) if worker.commands], found[0].resource
        if group and resource.kind == GRAPH_KIND:
            yield failed(resource, resource.name, f"nothing that was read answers HTTP for {names(group)}")


def _starts_a_frontend(graph: ResourceGraph) -> bool:
    entrances = (each.template for each in read_frontends(graph))
    return any(map(_has_pods, entrances)) or any(
        isinstance(each, Unreadable)
        or "frontendSidecar" in each.described_by
        or (each.component_type in {FRONTEND_TYPE, "epp"} and _has_pods(each))
        for each in read_pods(graph)
    )


def _has_pods(template: PodTemplate) -> bool:
    return known(getattr, template, "replicas") != 0


_CONSEQUENCE = "the operator gives it no system port, no probes and no managed rolling update"
_NO_DEFAULTS = "default"
"""Type of a v1alpha1 service that asks for no defaults (ai-dynamo/dynamo deploy/operator internal/consts)."""


@graph_rule(
    severity=Severity.ADVISORY,
    reason=(
        "Of an unknown type, such as `main` in older recipes, the operator makes a bare container: a worker "
        "that hangs is never restarted, one that loads counts as ready, and the service cannot become a "
        "component of a v1beta1 graph. It labels, probes and updates by the type, while requests go where "
        "the command line says."
    ),
    source=(
        "ai-dynamo/dynamo deploy/operator/internal/dynamo/component_common.go at 015d780 and internal/consts "
        "(labels); ai-dynamo 1.2.1 --disaggregation-mode"
    ),
    lines=("Dynamo 1.0 to 1.2",),
    fix=(
        "Set componentType: worker, and subComponentType: prefill or decode where the command line says so."
    ),
)
def component_type_known(graph: ResourceGraph) -> Iterator[Observation]:
    """Component's type is unknown to the operator, or contradicts its command line."""
    yield from POD_TEMPLATES.judge(graph, _unknown_type)
    yield from READABLE_WORKERS.judge(graph, _other_role)


def _unknown_type(_: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    declared = declared_type(template)
    # Of a patch the other half says what it is.
    if template.shape != "service" or (declared is None and not template.main.get("image")):
        return
    one_of = f"{_CONSEQUENCE}; one of {', '.join(COMPONENT_TYPES)}"
    if declared is None:
        yield f"has no componentType: {one_of}"
    elif declared not in (*COMPONENT_TYPES, _NO_DEFAULTS):
        yield f"componentType is {declared}, which the operator does not know: {one_of}"
    sub_type = text_at(template.described_by, "subComponentType")
    if sub_type is not None and sub_type not in SUB_COMPONENT_TYPES:
        yield f"subComponentType is {sub_type}, not {' or '.join(SUB_COMPONENT_TYPES)}"


def _other_role(_: ResourceGraph, worker: Worker) -> Iterator[str]:
    declared = worker.template.component_type
    if not worker.commands or worker.template.shape == "workload":
        return
    if declared == FRONTEND_TYPE:
        yield f"its type is {declared}, but it starts {worker.commands[0].engine}"
    elif declared in SUB_COMPONENT_TYPES:
        role = read_role(worker)
        # Without a word vLLM's worker does both, and decodes what a prefill worker hands it.
        does_both = declared == "decode" and role == "aggregated" and is_vllm(worker)
        if role != declared and not (does_both and worker.commands[0].flags.value(MODE_FLAG) is None):
            yield f"its type is {declared}, but its command line makes it {role}"


_METRIC_PORT = "DYN_FORWARDPASS_METRIC_PORT"
_GIVEN_SINCE = (1, 2)
_OPERATORS_METRIC_PORT = "20380"
_HANDSHAKE_PORT = "VLLM_NIXL_SIDE_CHANNEL_PORT"
_HANDSHAKE_DEFAULT = "5600"
_PortOf = Callable[[ResourceGraph, Worker, StartCommand], str | None]


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "The operator of 1.2 and later gives a worker's main container DYN_FORWARDPASS_METRIC_PORT 20380, "
        "and each dynamo.vllm in it binds that port as it starts: the second one ends with Address already "
        "in use, and the pod never serves. NIXL's handshake has one default, 5600, for all of them as well. "
        "A node has each port once too: of pods with hostNetwork and one port it takes one, and the others "
        "wait for a node (advice where there may be enough)."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/services-networking/ (ports of the node); "
        "ai-dynamo/dynamo#8817, #8919; ai-dynamo 1.2.1 on PyPI, dynamo/vllm/instrumented_scheduler.py; "
        "vllm 0.20.1 vllm/envs.py"
    ),
    lines=("Dynamo 1.2", "Dynamo 1.4"),
    fix=(
        "Set both variables before each engine's command: DYN_FORWARDPASS_METRIC_PORT 20380, 20480 and so "
        "on, VLLM_NIXL_SIDE_CHANNEL_PORT 5600, 5700 and so on. Ranks of data parallelism count up from them. "
        "Leave hostNetwork out, or give each worker ports of its own."
    ),
)
def engine_ports_unique(graph: ResourceGraph) -> Iterator[Observation]:
    """Engines that share a pod, or pods that share their node's network, take each other's ports."""
    yield from _shared(graph, _METRIC_PORT, _metric_port)
    yield from _shared(graph, _HANDSHAKE_PORT, _handshake_port)
    hosted = [each for each in readable(read_gpu_pods(graph)) if known(_shares_its_node, each)]
    for pods in grouped((_nodes(graph, each), each) for each in hosted).values():
        by_port = grouped((port, each) for each in pods for port in _ports_of_node(graph, each))
        for users, ports in grouped((tuple(users), str(port)) for port, users in by_port.items()).items():
            yield from _on_one_node(known(home, graph, users[0]), users, ", ".join(ports))


def _shares_its_node(pods: GpuPods) -> bool:
    return field(pods.template.spec, "hostNetwork") is True and pods.pods > 0


def _nodes(graph: ResourceGraph, pods: GpuPods) -> str:
    """The pool that the pods run in; where none is known, the labels that they select nodes by."""
    pool = known(home, graph, pods)
    labels = known(required_labels, pods.template.spec) or ()
    return ", ".join(sorted(map(str, labels))) if pool is None else pool.name


def _ports_of_node(graph: ResourceGraph, pods: GpuPods) -> Collection[int]:
    """What the pods declare, which Kubernetes takes for ports of the node, and where their servers listen."""
    template = pods.template
    declared = (known(declared_ports, each) or {} for each in template.all_containers)
    listening = (known(server_port, server) for server in servers_of(graph, template))
    ports = {number for each in declared for number in each.values()}
    ports.update(each.value for each in listening if each is not None)
    port = operator_port(template)
    return ports if ports or port is None else {OPERATORS_PORTS[port]}


def _on_one_node(pool: Pool | None, users: Sequence[GpuPods], ports: str) -> Iterator[Observation]:
    """What is wrong where more pods have a port than there are nodes, or two may come to one node."""
    resource = users[-1].template.resource
    subject = names(users)
    count = sum(each.pods for each in users)
    # Two of a template stand for any number: the question is whether two pods fit on one node.
    sizes = sorted(each.gpus for each in users for _ in range(min(each.pods, 2)))
    said = f"{count} pods share the network of their nodes (hostNetwork) and have port {ports}"
    if pool is not None and pool.known_nodes is not None and count > pool.known_nodes:
        yield failed(resource, subject, f"{said}, of which each node of {pool} takes one")
        return
    room = max(each.gpus for each in INSTANCE_TYPES.values()) if pool is None else pool.instance_type.gpus
    workers = [each.workers[0] for each in users]
    apart = all(kept_apart(one, other, HOSTNAME) for one in workers for other in workers)
    if count > 1 and sum(sizes[:2]) <= room and not apart:
        yield observed(resource, subject, Advice(f"{said}, of which a node takes one"))


def _shared(graph: ResourceGraph, variable: str, port_of: _PortOf) -> Iterator[Observation]:
    for template, workers in workers_of_pods(graph).items():
        commands = ((worker, command) for worker in workers for command in worker.commands)
        ports = grouped(
            (port_of(graph, worker, command), f"{command.engine} in {worker.name}")
            for worker, command in commands
            if command.engine == DYNAMO_VLLM
        )
        for port, engines in ports.items():
            if port is not None and len(engines) > 1:
                message = f"{len(engines)} engines of one pod have {variable} {port}: {', '.join(engines)}"
                yield failed(template.resource, template.name, message)


def _metric_port(graph: ResourceGraph, worker: Worker, command: StartCommand) -> str | None:
    # Dynamo's own scheduler publishes these metrics, and none that a person chose.
    if any(flag.name == "--scheduler-cls" for flag in command.flags.all):
        return None
    is_main = worker.container is worker.template.main and operator_port(worker.template) is not None
    since = known(operator_line, graph, worker.resource) if is_main else None
    is_given = since is not None and since >= _GIVEN_SINCE
    return _given(command, _METRIC_PORT, _OPERATORS_METRIC_PORT if is_given else None)


def _handshake_port(_: ResourceGraph, __: Worker, command: StartCommand) -> str | None:
    shakes_hands = NIXL_CONNECTOR in (known(command.flags.value, KV_TRANSFER_CONFIG) or "")
    return _given(command, _HANDSHAKE_PORT, _HANDSHAKE_DEFAULT) if shakes_hands else None


def _given(command: StartCommand, variable: str, default: str | None) -> str | None:
    is_given = variable in command.environment
    return known(variable_in, command.environment, variable) if is_given else default
