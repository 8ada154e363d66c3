"""A router that routes by KV cache hears what the engines cache."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.commands.start_script import TENSORRT_LLM
from rules.reading.engines.tensorrt_llm import option_value
from rules.reading.engines.tensorrt_llm_options import Option
from rules.reading.kv_transport.disaggregation import read_role
from rules.reading.pods.routers import Router, read_routers
from rules.reading.shapes import Undecided

_EVENT_SWITCHES = ("--router-kv-events", "--kv-events")
# The old name and, from 1.3 on, the new one.
_PUBLISH = tuple(
    Option((f"--publish-{what}",), (), False, f"DYN_TRTLLM_PUBLISH_{variable}", is_switch=True)
    for what, variable in (("events-and-metrics", "EVENTS_AND_METRICS"), ("kv-events", "KV_EVENTS"))
)


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for router in read_routers(graph):
        try:
            yield from _check_router(router)
        except Undecided as reason:
            yield undecided(router.frontend.resource, router.frontend.name, str(reason))


def _check_router(router: Router) -> Iterator[Observation]:
    if router.mode() != "kv" or any(router.frontend.flags.switch(name) is False for name in _EVENT_SWITCHES):
        return
    for worker in router.workers:
        for command in worker.commands:
            # Prompts are routed to whom has their beginning, which is a matter of those that fill caches.
            if command.engine != TENSORRT_LLM or read_role(worker) == "decode":
                continue
            flags = command.flags
            if not any(option_value(command, flags, option).value for option in _PUBLISH):
                yield failed(
                    worker.resource,
                    worker.name,
                    f"publishes no KV events, although {router.frontend.name} routes by them: --router-mode "
                    f"kv without --no-router-kv-events, and no {_PUBLISH[0].flags[0]}",
                )


RULE = Rule(
    id="kv-router-hears-events",
    title="A router that routes by KV cache hears what the engines cache",
    severity=Severity.ADVISORY,
    reason="Without events the router believes that nothing is cached and spreads requests by load alone.",
    source="ai-dynamo 1.2.1 from PyPI: dynamo.frontend (--router-mode kv), dynamo.trtllm",
    lines=("Dynamo 1.2 to 1.6",),
    fix=(
        "Add --publish-events-and-metrics to the workers, or --no-router-kv-events to the frontend, which "
        "then predicts what is cached."
    ),
    check=_check,
)
