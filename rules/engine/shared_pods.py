"""Ports of engines that share a pod, and so its address."""

from collections.abc import Callable, Iterator, Sequence

from resource_graph import ResourceGraph
from rules.model import Observation, Severity, failed
from rules.reading.commands.container_commands import DYNAMO_VLLM, StartCommand
from rules.reading.kv_ways import KV_TRANSFER_CONFIG, NIXL_CONNECTOR
from rules.reading.pods.operator_defaults import operator_port
from rules.reading.pods.pods import readable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.releases import operator_line
from rules.reading.shapes import grouped, known
from rules.rule import graph_rule

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
        "in use, and the pod never serves. NIXL's handshake has one default, 5600, for all of them as well."
    ),
    source=(
        "ai-dynamo/dynamo#8817, #8919; ai-dynamo 1.2.1 on PyPI, dynamo/vllm/instrumented_scheduler.py; "
        "vllm 0.20.1 vllm/envs.py"
    ),
    lines=("Dynamo 1.2", "Dynamo 1.4"),
    fix=(
        "Set both variables before each engine's command: DYN_FORWARDPASS_METRIC_PORT 20380, 20480 and so "
        "on, VLLM_NIXL_SIDE_CHANNEL_PORT 5600, 5700 and so on. Ranks of data parallelism count up from them."
    ),
)
def engine_ports_unique(graph: ResourceGraph) -> Iterator[Observation]:
    """Engines of vLLM that share a pod take each other's ports."""
    yield from _shared(graph, _METRIC_PORT, _metric_port)
    yield from _shared(graph, _HANDSHAKE_PORT, _handshake_port)


def _shared(graph: ResourceGraph, variable: str, port_of: _PortOf) -> Iterator[Observation]:
    pods = grouped((worker.template, worker) for worker in readable(read_workers(graph)))
    for template, workers in pods.items():
        for port, engines in grouped(_users(graph, workers, port_of)).items():
            if len(engines) > 1:
                message = f"{len(engines)} engines of one pod have {variable} {port}: {', '.join(engines)}"
                yield failed(template.resource, template.name, message)


def _users(graph: ResourceGraph, workers: Sequence[Worker], port_of: _PortOf) -> Iterator[tuple[str, str]]:
    """Each port, with an engine that has the port."""
    for worker in workers:
        for command in worker.commands:
            port = port_of(graph, worker, command)
            if port is not None:
                yield port, f"{command.engine} in {worker.name}"


def _metric_port(graph: ResourceGraph, worker: Worker, command: StartCommand) -> str | None:
    """None for an engine whose scheduler a person chose: Dynamo's own publishes these metrics."""
    if command.engine != DYNAMO_VLLM or any(flag.name == "--scheduler-cls" for flag in command.flags.all):
        return None
    if _METRIC_PORT in command.environment:
        return _given(command, _METRIC_PORT)
    is_main = worker.container is worker.template.main and operator_port(worker.template) is not None
    since = known(operator_line, graph, worker.resource) if is_main else None
    return _OPERATORS_METRIC_PORT if since is not None and since >= _GIVEN_SINCE else None


def _handshake_port(_: ResourceGraph, __: Worker, command: StartCommand) -> str | None:
    if command.engine != DYNAMO_VLLM or NIXL_CONNECTOR not in (
        known(command.flags.value, KV_TRANSFER_CONFIG) or ""
    ):
        return None
    return _given(command, _HANDSHAKE_PORT) if _HANDSHAKE_PORT in command.environment else _HANDSHAKE_DEFAULT


def _given(command: StartCommand, variable: str) -> str | None:
    word = command.environment.get(variable)
    return word.text if word is not None and word.known else None
