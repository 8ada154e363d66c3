"""What a frontend, its workers and their clients must agree on, and what becomes of a crash."""

import re
from collections.abc import Iterator, Sequence

from engines.command_line import Count
from engines.effective import Effective, option_value
from engines.release import CALLS_RECOVERED_SINCE, LOST_TOOL_CALLS_SOURCE, MODEL_OF_LOST_CALLS
from engines.tensorrt_llm.keys import Option
from resource_graph import ResourceGraph
from rules.reading.commands.container_commands import (
    DYNAMO_VLLM,
    SHELLS,
    TENSORRT_LLM,
    StartCommand,
    command_line,
    program_of,
    script_position,
)
from rules.reading.disaggregation import read_role
from rules.reading.engines.models import read_gpt_oss, tokens_per_block
from rules.reading.engines.settings import is_vllm, read_settings, single_command
from rules.reading.pods.pods import readable
from rules.reading.pods.workers import Worker, workers_by_resource
from rules.reading.releases import by_line, shown_image
from rules.rule import EVERY_RELEASE, ROUTERS, VLLM_WORKERS, WORKERS, Observation, Severity, about, rule

_ROUTER_FLAG = "--kv-cache-block-size"
_WORKER_FLAG = "--kv-block-size"


PARSERS = (
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
        "gpt-oss answers in the harmony format, which Dynamo hands on as it is. The deployment answers, but "
        "reasoning stands in the text and calls of tools are lost."
    ),
    source=(
        "ai-dynamo/dynamo docs of gpt-oss for TensorRT-LLM and vLLM; names of parsers: ai-dynamo 1.2.1 to "
        "1.6.1 from PyPI, lib/parsers (get_tool_parser_map)"
    ),
    lines=("Dynamo 1.2 to 1.6",),
    fix="Add --dyn-reasoning-parser gpt_oss --dyn-tool-call-parser harmony to every worker.",
)
def answer_parsers(_: ResourceGraph, worker: Worker) -> Iterator[str]:
    """Worker that serves gpt-oss lacks the parsers of its answers."""
    model = read_gpt_oss(worker)
    if model is None:
        return
    # trtllm-serve reads harmony by itself; vLLM's own server has options of its own.
    for command in (each for each in worker.commands if each.engine in {TENSORRT_LLM, DYNAMO_VLLM}):
        for flag, variable, parser, without in PARSERS:
            found = command.given(flag, variable)
            if found is None or found.value != parser:
                has = "has none" if found is None else f"is {found.value}"
                yield f"serves {model.name}, whose {flag} must be {parser}, and {has}: {without}"


@rule(
    ROUTERS,
    severity=Severity.ADVISORY,
    reason=(
        "gpt-oss-120b puts about half of its tool calls on the analysis channel. Before 1.3 the parser looks "
        "for calls on the commentary channel alone, so a client gets no call and an answer that may be "
        "empty, with HTTP 200."
    ),
    source=f"{LOST_TOOL_CALLS_SOURCE}: that 1.2.1 loses calls is inferred from that",
    lines=("Dynamo 1.2", "Dynamo 1.3"),
    fix="Where clients offer tools, take a release from 1.3 on, for frontend and workers alike.",
)
def tool_calls_recovered(graph: ResourceGraph, frontend: Worker) -> Iterator[str]:
    """Frontend of gpt-oss-120b loses the tool calls on the analysis channel."""
    # Without the parser every call is lost, of which answer-parsers speaks.
    if any(map(_parses_calls, _workers_of(graph, frontend))) and by_line(
        lambda line: line < CALLS_RECOVERED_SINCE, frontend.container, frontend.template
    ):
        yield (
            f"is of Dynamo before 1.3 ({shown_image(frontend.container)}): about half of the tool calls of "
            "gpt-oss-120b are lost"
        )


def _workers_of(graph: ResourceGraph, frontend: Worker) -> Iterator[Worker]:
    """The workers that a frontend chooses from."""
    return readable(workers_by_resource(graph).get(frontend.resource.urn, ()))


def _parses_calls(worker: Worker) -> bool:
    """Whether the worker parses the calls of the model of which many are lost."""
    model, (flag, variable, parser, _) = read_gpt_oss(worker), PARSERS[1]
    given = (command.given(flag, variable) for command in worker.commands)
    return (
        model is not None
        and model.name == MODEL_OF_LOST_CALLS
        and any(found is not None and found.value == parser for found in given)
    )


_DRAFT, _STRUCTURED = "--speculative-config", "--structured-outputs-config"


@rule(
    VLLM_WORKERS,
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
    """vLLM worker with a draft model is set up for structured output."""
    settings = read_settings(graph, worker)
    draft, structured = _option_given(settings, _DRAFT), _option_given(settings, _STRUCTURED)
    if draft and structured:
        yield f"has a draft model ({draft}) and sets structured output up ({structured})"


def _option_given(settings: Effective, option: str) -> str | None:
    """Return where an option that is a JSON object is given, whole or key by key, whatever its value is."""
    given = (name for flag in settings.flags.all if (name := flag.name).partition(".")[0] == option)
    in_file = settings.file.source if option[2:].replace("-", "_") in settings.file.content else None
    return next(given, in_file)


# The old name and, from 1.3 on, the new one.
_PUBLISH = tuple(
    Option((f"--publish-{what}",), (), False, f"DYN_TRTLLM_PUBLISH_{variable}", is_switch=True)
    for what, variable in (("events-and-metrics", "EVENTS_AND_METRICS"), ("kv-events", "KV_EVENTS"))
)


@rule(
    ROUTERS,
    severity=Severity.ADVISORY,
    reason=(
        "The router finds cached prefixes by the hashes of whole blocks: with another size it never finds "
        "one, and without events it believes that nothing is cached: it spreads requests by load alone."
    ),
    source=(
        "ai-dynamo 1.2.1 from PyPI: dynamo/trtllm/backend_args.py (--kv-block-size) and dynamo.frontend's "
        "argparse (--router-mode kv)"
    ),
    lines=("Dynamo 1.2 to 1.6",),
    fix=(
        "Set --kv-cache-block-size, and --kv-block-size of dynamo.trtllm, to tokens_per_block of the engine, "
        "32 unless its file says otherwise. Add --publish-events-and-metrics to the workers, or "
        "--no-router-kv-events to the frontend, which then predicts what is cached."
    ),
)
def kv_router_knows_the_cache(graph: ResourceGraph, frontend: Worker) -> Iterator[str | Observation]:
    """Router by KV cache counts other blocks than the engines, or hears of none."""
    mode = frontend.commands[0].given("--router-mode", "DYN_ROUTER_MODE")
    if mode is None or mode.value != "kv":
        return
    flags = frontend.commands[0].flags
    told = flags.count(_ROUTER_FLAG)
    hears = all(flags.switch(name) is not False for name in ("--router-kv-events", "--kv-events"))
    for worker in _workers_of(graph, frontend):
        blocks = _blocks(graph, worker)
        if told is not None and blocks is not None and blocks.value != told.value:
            has = f"blocks of {worker.name} have {blocks.value} tokens ({blocks.source})"
            yield f"{told.source} {told.value}, but {has}"
        if worker.commands and worker.commands[0].engine == TENSORRT_LLM:
            yield from about(
                worker, _untold(frontend, single_command(worker), blocks, hears=hears, of=worker)
            )


def _untold(
    frontend: Worker, command: StartCommand, blocks: Count | None, *, hears: bool, of: Worker
) -> Iterator[str]:
    told = command.flags.count(_WORKER_FLAG)
    if told is not None and blocks is not None and told.value != blocks.value:
        yield (
            f"{told.source} {told.value} tells the router of other blocks than the engine has: "
            f"tokens_per_block {blocks.value} ({blocks.source})"
        )
    # Prompts are routed to whom has their beginning, which is a matter of those that fill caches.
    if (
        hears
        and read_role(of) != "decode"
        and not any(option_value(command.flags, command.environment, each).value for each in _PUBLISH)
    ):
        yield (
            f"publishes no KV events, although {frontend.name} routes by them: --router-mode "
            f"kv without --no-router-kv-events, and no {_PUBLISH[0].flags[0]}"
        )


def _blocks(graph: ResourceGraph, worker: Worker) -> Count | None:
    if is_vllm(worker):
        # Without the flag the attention kernels choose.
        return read_settings(graph, worker).given_count("block_size")
    is_dynamos = bool(worker.commands) and worker.commands[0].engine == TENSORRT_LLM
    return tokens_per_block(read_settings(graph, worker)) if is_dynamos else None


_PROGRAM = re.compile(r"-m\s+dynamo\.(?:trtllm|vllm|sglang)\b|\btrtllm-serve\b|\bvllm\s+serve\b")
# What comes after the engine has ended: a sleep without end, in a loop or alone.
_WAITS_FOR_EVER = re.compile(
    r"\bsleep\s+inf(?:inity)?\b|\btail\s+-[fF]\b|\bwhile\s+(?:true|:|\[\s*1\s*\])[\s;]*do\b[^}]{0,4000}?\bsleep\b",
    re.DOTALL,
)
# A single ampersand: the engine runs in the background, and others go on beside it.
_IN_BACKGROUND = re.compile(r"(?<![&>|])&(?![&>\d])")
# A shell that waits for an engine in the background can hand the signal on to it.
_TRAP = re.compile(r"(?:^|[\s;&|])trap\s")
# bash becomes the last command of a script by itself, and dash, which is sh of the runtime images, does not.
_STAYING_SHELLS = frozenset({"sh", "dash"})


@rule(
    WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "A container that waits after a crash is neither restarted nor seen: its GPUs stay taken, and "
        "without probes the pod stays ready. Of several engines that a supervisor starts through shells, "
        "one without exec does not hear that it is to end, and its requests are cut off with the container."
    ),
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/agg/deploy.yaml at 668dd11; signals as seen with dash "
        "0.5.12"
    ),
    lines=EVERY_RELEASE,
    fix="Start the engine with exec, and look at `kubectl logs --previous` after a crash.",
)
def crash_ends_the_container(_: ResourceGraph, worker: Worker) -> Iterator[str]:
    """Container goes on after its engine has ended, or ends before it."""
    words = command_line(worker.container)
    script_at = script_position(words)
    if script_at is None:
        yield from _behind_a_shell(worker, words)
        return
    script = words[script_at] or ""
    started = list(_PROGRAM.finditer(script))
    if not worker.commands or not started:
        return
    after = script[started[-1].end() :]
    waits = _WAITS_FOR_EVER.search(after)
    if waits is not None and not _IN_BACKGROUND.search(after[: waits.start()]):
        shown = " ".join(waits.group().split())
        yield f"goes on after its engine has ended: its start script waits with `{shown}`"


def _behind_a_shell(worker: Worker, words: Sequence[str | None]) -> Iterator[str]:
    shells = [word for word in words if word is not None and program_of(word) in SHELLS]
    # A single one may stand behind an init that signals the engine too.
    stay = len(shells) > 1 and all(program_of(word) in _STAYING_SHELLS for word in shells)
    passes_on = any(_TRAP.search(word or "") for word in words)
    if stay and not passes_on and not all(command.by_exec for command in worker.commands):
        yield (
            f"is started through {shells[0]} without exec: the signal to end reaches the shell alone, and "
            "the engine's requests are cut off with the container"
        )
