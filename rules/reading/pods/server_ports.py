"""Ports at which servers of engines answer in workloads, where no operator gives them one."""

from collections.abc import Mapping, Sequence

from engines.told import Count
from resource_graph import ResourceGraph
from rules.reading.commands.container_commands import TRTLLM_SERVE, VLLM_SERVE
from rules.reading.memoized import memoized
from rules.reading.pods.pods import PodTemplate, readable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.shapes import grouped, whole_number

_SERVERS = (VLLM_SERVE, TRTLLM_SERVE)
_FLAG = "--port"
_DEFAULT = 8000
"""vllm 0.20.1 vllm/entrypoints/openai/cli_args.py; NVIDIA/TensorRT-LLM tensorrt_llm/commands/serve.py at
05ebebb."""


def server_port(worker: Worker) -> Count:
    """The port of the worker's server.

    Raises:
        Undecided: the port is not written as a number.
    """
    given = worker.commands[0].flags.value(_FLAG)
    return Count(_DEFAULT, "its default") if given is None else Count(whole_number(given, _FLAG), _FLAG)


@memoized
def servers_of(graph: ResourceGraph) -> Mapping[PodTemplate, Sequence[Worker]]:
    """Pods of a workload -> their containers that start one server of an engine."""
    found = (
        worker
        for worker in readable(read_workers(graph))
        if worker.template.shape == "workload" and len(worker.commands) == 1 and worker.starts(_SERVERS)
    )
    return grouped((worker.template, worker) for worker in found)
