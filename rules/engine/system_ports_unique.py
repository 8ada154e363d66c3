"""Engines that share a pod have system ports of their own."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.commands.start_script import DYNAMO_VLLM, TENSORRT_LLM
from rules.reading.pods.component_types import SYSTEM_PORT_VARIABLE
from rules.reading.pods.pods import PodTemplate, Unreadable
from rules.reading.pods.workers import Worker, read_workers

_DYNAMO = frozenset({TENSORRT_LLM, DYNAMO_VLLM, "dynamo.sglang"})


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    pods: dict[PodTemplate, list[Worker]] = {}
    for worker in read_workers(graph):
        if not isinstance(worker, Unreadable):
            pods.setdefault(worker.template, []).append(worker)
    for template, workers in pods.items():
        yield from _check_pod(template, workers)


def _check_pod(template: PodTemplate, workers: list[Worker]) -> Iterator[Observation]:
    users: dict[str, list[str]] = {}
    for worker in workers:
        for command in worker.commands:
            word = command.environment.get(SYSTEM_PORT_VARIABLE)
            if command.engine in _DYNAMO and word is not None and word.known:
                users.setdefault(word.text, []).append(f"{command.engine} in {worker.name}")
    for port, engines in users.items():
        if len(engines) > 1:
            yield failed(
                template.resource,
                template.name,
                f"{len(engines)} engines of one pod have {SYSTEM_PORT_VARIABLE} {port}: {', '.join(engines)}",
            )


RULE = Rule(
    id="system-ports-unique",
    title="Engines that share a pod have system ports of their own",
    severity=Severity.ADVISORY,
    reason="Containers of a pod share its address, so only one engine gets the port.",
    source="ai-dynamo/dynamo examples/backends/vllm/launch/disagg.sh (a DYN_SYSTEM_PORT for each process)",
    lines=("Dynamo 1.2",),
    fix="Give every engine another DYN_SYSTEM_PORT.",
    check=_check,
)
