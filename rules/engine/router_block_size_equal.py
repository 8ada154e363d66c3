"""The router counts KV blocks of the size that the engines have."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.commands.start_script import TENSORRT_LLM
from rules.reading.engines.engines import engine_settings
from rules.reading.engines.tensorrt_llm import Count, single_command
from rules.reading.engines.transfer_buffers import tokens_per_block
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.pods.containers import EngineFileProblem
from rules.reading.pods.routers import Router, read_routers
from rules.reading.pods.workers import Worker, check_workers
from rules.reading.shapes import Undecided, whole_number

_ROUTER_FLAG = "--kv-cache-block-size"
_WORKER_FLAG = "--kv-block-size"
_VLLM_FLAG = "--block-size"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    yield from check_workers(graph, lambda worker: _check_worker(graph, worker))
    for router in read_routers(graph):
        try:
            yield from _check_router(graph, router)
        except EngineFileProblem:
            continue
        except Undecided as reason:
            yield undecided(router.frontend.resource, router.frontend.name, str(reason))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    if not worker.commands or worker.commands[0].engine != TENSORRT_LLM:
        return
    told = _count(single_command(worker).flags.value(_WORKER_FLAG), _WORKER_FLAG)
    if told is None:
        return
    try:
        blocks = tokens_per_block(engine_settings(graph, worker))
    except EngineFileProblem:
        return
    if told.value != blocks.value:
        yield failed(
            worker.resource,
            worker.name,
            f"{told.source} {told.value} tells the router of other blocks than the engine has: "
            f"tokens_per_block {blocks.value} ({blocks.source})",
        )


def _check_router(graph: ResourceGraph, router: Router) -> Iterator[Observation]:
    told = _count(router.frontend.flags.value(_ROUTER_FLAG), _ROUTER_FLAG)
    if told is None or router.mode() != "kv":
        return
    for worker in router.workers:
        blocks = _blocks(graph, worker)
        if blocks is not None and blocks.value != told.value:
            yield failed(
                router.frontend.resource,
                router.frontend.name,
                f"{told.source} {told.value}, but blocks of {worker.name} have {blocks.value} tokens "
                f"({blocks.source})",
            )


def _blocks(graph: ResourceGraph, worker: Worker) -> Count | None:
    if is_vllm(worker):
        settings = read_vllm(graph, worker)
        # Without the flag the attention kernels choose.
        return None if settings.at(_VLLM_FLAG) is None else settings.count(_VLLM_FLAG, 0)
    if worker.commands and worker.commands[0].engine == TENSORRT_LLM:
        return tokens_per_block(engine_settings(graph, worker))
    return None


def _count(given: str | None, flag: str) -> Count | None:
    return None if given is None else Count(whole_number(given, flag), flag)


RULE = Rule(
    id="router-block-size-equal",
    title="The router counts KV blocks of the size that the engines have",
    severity=Severity.ADVISORY,
    reason=(
        "The router finds cached prefixes by the hashes of whole blocks. With another size it never finds "
        "one, and sends requests as if nothing were cached."
    ),
    source="ai-dynamo 1.2.1 dynamo/trtllm/backend_args.py (--kv-block-size) and dynamo.frontend's argparse",
    lines=("Dynamo 1.2",),
    fix=(
        "Set --kv-cache-block-size, and --kv-block-size of dynamo.trtllm, to tokens_per_block of the engine: "
        "32 unless its file says otherwise."
    ),
    check=_check,
)
