"""What a frontend that routes by KV cache and its workers must agree on."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Severity, failed
from rules.reading.commands.container_commands import TENSORRT_LLM
from rules.reading.disaggregation import read_role
from rules.reading.engines.command_settings import is_vllm, read_vllm, single_command
from rules.reading.engines.tensorrt_llm import Option, option_value, read_tensorrt_llm
from rules.reading.kv_cache import tokens_per_block
from rules.reading.pods.workers import Router, Worker
from rules.reading.shapes import Count, whole_number
from rules.rule import graph_rule, rule
from rules.subjects import CONFIGURED_WORKERS, ROUTERS

_ROUTER_FLAG = "--kv-cache-block-size"
_WORKER_FLAG = "--kv-block-size"
_VLLM_FLAG = "--block-size"


@graph_rule(
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
)
def router_block_size_equal(graph: ResourceGraph) -> Iterator[Observation]:
    """The router counts KV blocks of the size that the engines have."""
    yield from CONFIGURED_WORKERS.judge(graph, _told_by_worker)
    yield from ROUTERS.judge(graph, _told_to_router)


def _told_by_worker(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    if not worker.commands or worker.commands[0].engine != TENSORRT_LLM:
        return
    told = _count(single_command(worker).flags.value(_WORKER_FLAG), _WORKER_FLAG)
    if told is None:
        return
    blocks = tokens_per_block(read_tensorrt_llm(graph, worker))
    if told.value != blocks.value:
        yield (
            f"{told.source} {told.value} tells the router of other blocks than the engine has: "
            f"tokens_per_block {blocks.value} ({blocks.source})"
        )


def _told_to_router(graph: ResourceGraph, router: Router) -> Iterator[str]:
    told = _count(router.frontend.command.flags.value(_ROUTER_FLAG), _ROUTER_FLAG)
    if told is None or router.mode() != "kv":
        return
    for worker in router.workers:
        blocks = _blocks(graph, worker)
        if blocks is not None and blocks.value != told.value:
            has = f"blocks of {worker.name} have {blocks.value} tokens ({blocks.source})"
            yield f"{told.source} {told.value}, but {has}"


def _blocks(graph: ResourceGraph, worker: Worker) -> Count | None:
    if is_vllm(worker):
        settings = read_vllm(graph, worker)
        # Without the flag the attention kernels choose.
        return None if settings.at(_VLLM_FLAG) is None else settings.count(_VLLM_FLAG, 0)
    if worker.commands and worker.commands[0].engine == TENSORRT_LLM:
        return tokens_per_block(read_tensorrt_llm(graph, worker))
    return None


def _count(given: str | None, flag: str) -> Count | None:
    return None if given is None else Count(whole_number(given, flag), flag)


_EVENT_SWITCHES = ("--router-kv-events", "--kv-events")
# The old name and, from 1.3 on, the new one.
_PUBLISH = tuple(
    Option((f"--publish-{what}",), (), False, f"DYN_TRTLLM_PUBLISH_{variable}", is_switch=True)
    for what, variable in (("events-and-metrics", "EVENTS_AND_METRICS"), ("kv-events", "KV_EVENTS"))
)


@rule(
    ROUTERS,
    severity=Severity.ADVISORY,
    reason="Without events the router believes that nothing is cached and spreads requests by load alone.",
    source="ai-dynamo 1.2.1 from PyPI: dynamo.frontend (--router-mode kv), dynamo.trtllm",
    lines=("Dynamo 1.2 to 1.6",),
    fix=(
        "Add --publish-events-and-metrics to the workers, or --no-router-kv-events to the frontend, which "
        "then predicts what is cached."
    ),
)
def kv_router_hears_events(_: ResourceGraph, router: Router) -> Iterator[Observation]:
    """A router that routes by KV cache hears what the engines cache."""
    flags = router.frontend.command.flags
    if router.mode() != "kv" or any(flags.switch(name) is False for name in _EVENT_SWITCHES):
        return
    for worker in router.workers:
        for command in worker.commands:
            # Prompts are routed to whom has their beginning, which is a matter of those that fill caches.
            if command.engine != TENSORRT_LLM or read_role(worker) == "decode":
                continue
            if not any(option_value(command, option).value for option in _PUBLISH):
                yield failed(
                    worker.resource,
                    worker.name,
                    f"publishes no KV events, although {router.frontend.name} routes by them: --router-mode "
                    f"kv without --no-router-kv-events, and no {_PUBLISH[0].flags[0]}",
                )
