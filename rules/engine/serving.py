"""What a frontend, its workers and their clients must agree on: names, parsers, and routing by KV cache."""

from collections.abc import Iterator

from engines import CALLS_RECOVERED_SINCE, LOST_TOOL_CALLS, MODEL_OF_LOST_CALLS
from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Severity, failed
from rules.reading.benchmarks import MODEL_NAMES, Benchmark, read_target
from rules.reading.commands.container_commands import DYNAMO_VLLM, TENSORRT_LLM
from rules.reading.commands.words import variable_in
from rules.reading.disaggregation import Disaggregated, read_role
from rules.reading.engines.command_settings import CommandSettings, is_vllm, read_vllm, single_command
from rules.reading.engines.models import read_gpt_oss, read_model_limits, served_name
from rules.reading.engines.tensorrt_llm import Option, option_value, read_tensorrt_llm
from rules.reading.kv_cache import tokens_per_block
from rules.reading.pods.workers import Router, Worker
from rules.reading.releases import by_line, shown_image
from rules.reading.shapes import Count, known, whole_number
from rules.rule import graph_rule, rule
from rules.subjects import BENCHMARKS, CONFIGURED_WORKERS, DISAGGREGATED, ROUTERS, WORKERS

_ROUTER_FLAG = "--kv-cache-block-size"
_WORKER_FLAG = "--kv-block-size"
_VLLM_FLAG = "--block-size"


@rule(
    DISAGGREGATED,
    severity=Severity.MANDATORY,
    reason=(
        "The frontend brings prefill and decode together by the model's name. With two names prefill is "
        "never called: its GPUs idle while decode computes the prompts, and one name is not served at all. "
        "Of another model the cache has another shape."
    ),
    source="ai-dynamo/dynamo lib/llm/src/discovery/model_manager.rs (activate_prefill_router)",
    lines=("Dynamo 1.2",),
    fix="Give --model and --served-model-name the same value on every worker of the graph.",
)
def served_name_equal(graph: ResourceGraph, group: Disaggregated) -> Iterator[str]:
    """Prefill and decode load one model and offer it under one name."""
    names = {worker.name: served_name(graph, worker) for worker in group.workers}
    known = {name: setting for name, setting in names.items() if setting is not None}
    if len({str(setting.value) for setting in known.values()}) > 1:
        shown = ", ".join(f"{name} {found.value} ({found.source})" for name, found in known.items())
        yield f"their models have different names: {shown}"
    models = {worker.name: read_model_limits(graph, worker) for worker in group.workers}
    loaded = {name: model.name for name, model in models.items() if model is not None}
    if len(set(loaded.values())) > 1:
        shown = ", ".join(f"{name} {model}" for name, model in loaded.items())
        yield f"they load different models: {shown}"


@rule(
    BENCHMARKS,
    severity=Severity.ADVISORY,
    reason="The frontend answers every request with 404, Model not found.",
    source="ai-dynamo/dynamo docs of troubleshooting (404 Model not found)",
    lines=EVERY_RELEASE,
    fix="Write the value of --served-model-name in the benchmark's --model.",
)
def requested_name_served(graph: ResourceGraph, benchmark: Benchmark) -> Iterator[str]:
    """A benchmark asks for the model by the name under which it is served."""
    for run in benchmark.runs:
        # The rules about load and lengths report a target that is not here.
        wanted, target = run.setting(MODEL_NAMES), known(read_target, graph, benchmark, run)
        if wanted is None or target is None:
            continue
        names = [served_name(graph, worker) for worker in target.workers]
        served = sorted({str(name.value) for name in names if name is not None})
        # A worker whose name is not seen may be the one that is asked for.
        if served and None not in names and str(wanted.value) not in served:
            asked = f"asks for the model {wanted.value} ({wanted.source})"
            yield f"{asked}, but {target.name} serves {', '.join(served)}"


_PARSERS = (
    (
        "--dyn-reasoning-parser",
        "DYN_REASONING_PARSER",
        "gpt_oss",
        "answers begin with the model's reasoning and its channel marks",
    ),
    ("--dyn-tool-call-parser", "DYN_TOOL_CALL_PARSER", "harmony", "tool_calls of an answer stay empty"),
)
"""Option -> its variable, the parser that gpt-oss needs, and what happens without the parser."""


@rule(
    WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "gpt-oss answers in the harmony format. Dynamo hands it on as it is unless told which parsers split "
        "it: the deployment answers, but reasoning stands in the text and calls of tools are lost."
    ),
    source=(
        "ai-dynamo/dynamo docs of gpt-oss for TensorRT-LLM and vLLM; names of parsers: ai-dynamo 1.2.1 from "
        "PyPI"
    ),
    lines=("Dynamo 1.2",),
    fix="Add --dyn-reasoning-parser gpt_oss --dyn-tool-call-parser harmony to every worker.",
)
def answer_parsers(_: ResourceGraph, worker: Worker) -> Iterator[str]:
    """A worker that serves gpt-oss has the parsers of its answers."""
    model = read_gpt_oss(worker)
    if model is None:
        return
    for command in worker.commands:
        # trtllm-serve reads harmony by itself; vLLM's own server has options of its own.
        if command.engine not in {TENSORRT_LLM, DYNAMO_VLLM}:
            continue
        for flag, variable, parser, without in _PARSERS:
            given = command.flags.value(flag)
            given = variable_in(command.environment, variable) if given is None else given
            if given != parser:
                found = "has none" if given is None else f"is {given}"
                yield f"serves {model.name}, whose {flag} must be {parser}, and {found}: {without}"


@rule(
    ROUTERS,
    severity=Severity.ADVISORY,
    reason=(
        "gpt-oss-120b puts about half of its tool calls on the analysis channel. Before 1.3 the parser looks "
        "for calls on the commentary channel alone, so a client gets no call and an answer that may be "
        "empty, with HTTP 200."
    ),
    source=f"{LOST_TOOL_CALLS.source}: that 1.2.1 loses calls is inferred from that",
    lines=("Dynamo 1.2", "Dynamo 1.3"),
    fix="Where clients offer tools, take a release from 1.3 on, for frontend and workers alike.",
)
def tool_calls_recovered(_: ResourceGraph, router: Router) -> Iterator[str]:
    """A frontend of gpt-oss-120b returns the tool calls that stand on the analysis channel."""
    frontend = router.frontend
    # Without the parser every call is lost, of which answer-parsers speaks.
    parsed = [worker for worker in router.workers if _is_counted(worker) and _parses_calls(worker)]
    if not parsed:
        return
    if by_line(lambda line: line < CALLS_RECOVERED_SINCE, frontend.container, frontend.template.described_by):
        yield (
            f"is of Dynamo before 1.3 ({shown_image(frontend.container)}): about half of the tool calls of "
            "gpt-oss-120b are lost"
        )


def _is_counted(worker: Worker) -> bool:
    model = read_gpt_oss(worker)
    return model is not None and model.name == MODEL_OF_LOST_CALLS


def _parses_calls(worker: Worker) -> bool:
    flag, variable, parser, _ = _PARSERS[1]
    given = (
        command.flags.value(flag) or variable_in(command.environment, variable) for command in worker.commands
    )
    return parser in given


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
        # Without the flag the attention kernels choose.
        return read_vllm(graph, worker).given_count(_VLLM_FLAG)
    if worker.commands and worker.commands[0].engine == TENSORRT_LLM:
        return tokens_per_block(read_tensorrt_llm(graph, worker))
    return None


def _count(given: str | None, flag: str) -> Count | None:
    return None if given is None else Count(whole_number(given, flag), flag)


_DRAFT, _STRUCTURED = "--speculative-config", "--structured-outputs-config"


@rule(
    WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "While a draft model proposes tokens, an answer to response_format may be no JSON, and the engine "
        "was seen to crash: who sets structured output up will ask for it."
    ),
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b/README.md at 0e72f06 (known issues); vllm-project/vllm#27969, "
        "vllm-project/vllm#47025"
    ),
    lines=("vLLM 0.11 to 0.23",),
    fix="Leave one of them out. With the draft model use tool calls, or check answers where they arrive.",
)
def structured_output_without_draft_model(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """A vLLM worker with a draft model is not set up for structured output."""
    if not is_vllm(worker):
        return
    settings = read_vllm(graph, worker)
    draft, structured = _option_given(settings, _DRAFT), _option_given(settings, _STRUCTURED)
    if draft and structured:
        yield f"has a draft model ({draft}) and sets structured output up ({structured})"


def _option_given(settings: CommandSettings, option: str) -> str | None:
    """Return where an option that is a JSON object is given, whole or key by key, whatever its value is."""
    given = (name for flag in settings.flags.all if (name := flag.name).partition(".")[0] == option)
    in_file = settings.file.source if option.removeprefix("--") in settings.file.content else None
    return next(given, in_file)


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
