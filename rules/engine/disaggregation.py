"""What prefill and decode workers must be told, and agree on, beside their transport."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from engines import COMMANDS, CommandWords
from resource_graph import ResourceGraph
from rules.model import Severity
from rules.reading.commands.container_commands import DYNAMO_VLLM, TENSORRT_LLM, StartCommand
from rules.reading.commands.words import variable_in
from rules.reading.disaggregation import MODE_FLAG, MODE_OF_VLLM, Disaggregated, read_role
from rules.reading.engines.command_settings import is_sglang, read_sglang
from rules.reading.engines.tensorrt_llm import is_tensorrt_llm, read_tensorrt_llm
from rules.reading.kv_cache import effective_backend, tokens_per_block, transceiver_backend
from rules.reading.pods.workers import Worker
from rules.reading.releases import Line, by_line
from rules.reading.shapes import Count, Setting
from rules.rule import rule
from rules.subjects import DISAGGREGATED, TENSORRT_LLM_WORKERS, WORKERS, TensorRtLlmWorker

_MODE_VARIABLES = {TENSORRT_LLM: "DYN_TRTLLM_DISAGGREGATION_MODE", DYNAMO_VLLM: MODE_OF_VLLM}


@rule(
    WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "The command ends at once. Engines and releases differ: dynamo.trtllm knows `agg` from 1.3 on and "
        "refuses `prefill_and_decode` from 1.4 on."
    ),
    source=(
        "ai-dynamo 0.6.1, 0.7.1, 0.8.1, 0.9.1, 1.0.2, 1.1.1, 1.2.1, 1.3.1, 1.4.2, 1.5.1 and 1.6.1 from PyPI: "
        "argparse of dynamo.trtllm and dynamo.vllm"
    ),
    lines=("Dynamo 0.6 to 1.6",),
    fix="Write a mode that the finding names; an aggregated worker needs none.",
)
def disaggregation_mode_known(_: ResourceGraph, worker: Worker) -> Iterator[str]:
    """A worker's disaggregation mode is one that its command has."""
    for command in worker.commands:
        modes = COMMANDS.get(command.engine, CommandWords()).disaggregation_modes
        given = _given_mode(command) if modes else None
        if given is None:
            continue
        message = f"{given.source} is {given.value}, which {command.engine} does not have"
        if not any(given.value in each for each in modes.values()):
            newest = list(modes.values())[-1]
            yield f"{message}: one of {', '.join(newest)}"
        elif not all(given.value in each for each in modes.values()):
            judge = partial(_missing_mode, modes, str(given.value))
            missing = by_line(judge, worker.container, worker.described_by)
            if missing is not None:
                yield f"{message} {missing}"


def _missing_mode(modes: Mapping[Line, Sequence[str]], mode: str, line: Line) -> str | None:
    """Why a release line does not have a mode; None where the line has the mode or was never read."""
    has = [values for since, values in modes.items() if since <= line]
    if not has or mode in has[-1]:
        return None
    return f"in {line[0]}.{line[1]}: one of {', '.join(has[-1])}"


def _given_mode(command: StartCommand) -> Setting | None:
    flag = command.flags.value(MODE_FLAG)
    if flag is not None:
        return Setting(flag, MODE_FLAG)
    variable = _MODE_VARIABLES[command.engine]
    text = variable_in(command.environment, variable)
    return None if text is None else Setting(text, variable)


_PAGE = "--page-size"


@rule(
    DISAGGREGATED,
    severity=Severity.MANDATORY,
    reason="The receiving side refuses a cache whose blocks differ from its own, and no request is answered.",
    source=(
        "NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheFormatter.cpp (inquireSupport); sglang "
        "0.5.14 sglang/srt/disaggregation/common/conn.py"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "SGLang 0.5.14"),
    fix="Set kv_cache_config.tokens_per_block, or --page-size of SGLang, alike on both, or on neither.",
)
def tokens_per_block_equal(graph: ResourceGraph, group: Disaggregated) -> Iterator[str]:
    """Prefill and decode cut the KV cache into blocks of the same size."""
    if all(is_sglang(worker) for worker in group.workers):
        setting, sizes = _PAGE, _pages(graph, group)
    elif all(is_tensorrt_llm(worker) for worker in group.workers):
        blocks = {each.name: tokens_per_block(read_tensorrt_llm(graph, each)) for each in group.workers}
        setting, sizes = "tokens_per_block", blocks
    else:
        return
    if len({size.value for size in sizes.values()}) > 1:
        shown = ", ".join(f"{name} {size.value} ({size.source})" for name, size in sizes.items())
        yield f"their {setting} differ: {shown}"


def _pages(graph: ResourceGraph, group: Disaggregated) -> Mapping[str, Count]:
    settings = {worker.name: read_sglang(graph, worker) for worker in group.workers}
    # Unset it follows from the attention backend.
    return {name: each.count(_PAGE, 1) for name, each in settings.items() if each.at(_PAGE) is not None}


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason="With block reuse, a transfer that is sent while the worker goes on can hang.",
    source="NVIDIA/TensorRT-LLM#12542",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Set kv_cache_config.enable_block_reuse: false.",
)
def block_reuse_with_transfer(_: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[str]:
    """A worker that transfers its KV cache keeps no blocks for reuse."""
    if read_role(engine.worker) == "aggregated":
        return
    settings = engine.settings
    backend = transceiver_backend(settings)
    if backend is None or not settings.switch("kv_cache_config", "enable_block_reuse", default=True):
        return
    reuse = settings.setting("kv_cache_config", "enable_block_reuse", default=True)
    yield (
        f"reuses blocks of its KV cache (enable_block_reuse {str(reuse.value).lower()}, {reuse.source}) and "
        f"transfers it by {backend.value} ({backend.source})"
    )


_RUNTIME = ("cache_transceiver_config", "transceiver_runtime")
_MANAGER = ("kv_cache_config", "use_kv_cache_manager_v2")
_CHOSEN_SINCE = (1, 6)


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "The Python transceiver takes NIXL alone and the C++ one the cache of the first manager alone; with "
        "anything else the worker ends at start. Where nobody names one, the engine of Dynamo 1.6 or later "
        "chooses, and releases on both sides of it choose differently."
    ),
    source=(
        "NVIDIA/TensorRT-LLM branch gh-pages, CacheTransceiverConfig of 1.3.0rc28 (llm-api/reference) at "
        "c16b320, and the page of 1.4.0rc1; NVIDIA/TensorRT-LLM#18134"
    ),
    lines=("TensorRT-LLM 1.3.0rc28 and 1.4.0rc1",),
    fix=(
        "On both sides write cache_transceiver_config.transceiver_runtime: CPP and "
        "kv_cache_config.use_kv_cache_manager_v2: false, or backend NIXL."
    ),
)
def transceiver_fits_backend(graph: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[str]:
    """A worker's transceiver takes its backend and its KV cache."""
    worker, settings = engine.worker, engine.settings
    backend = None if read_role(worker) == "aggregated" else effective_backend(graph, worker)
    if backend is None:
        return
    named, second = settings.at(*_RUNTIME), settings.at(*_MANAGER)
    if named is not None and named.value == "CPP":
        if second is not None and second.value is True:
            yield (
                f"has the C++ transceiver ({named.source}) and the second manager of the KV cache "
                f"(use_kv_cache_manager_v2, {second.source})"
            )
    elif backend == "NIXL":
        return
    elif named is not None and named.value == "PYTHON":
        yield f"transfers by {backend} with the Python transceiver ({named.source})"
    elif named is None and by_line(_is_chosen, worker.container, worker.described_by):
        yield f"transfers by {backend} and names no transceiver, so its engine may choose the Python one"


def _is_chosen(line: Line) -> bool:
    return line >= _CHOSEN_SINCE


_NO_OVERLAP = "disable_overlap_scheduler"


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "Engines from before January 2026 end at start with it; later ones start, and NVIDIA's own "
        "configurations still turn it off for prefill."
    ),
    source="NVIDIA/TensorRT-LLM#10755; ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/disagg/deploy.yaml",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Set disable_overlap_scheduler: true in the prefill worker's engine file.",
)
def overlap_scheduler_in_prefill(_: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[str]:
    """A prefill worker runs without the overlap scheduler."""
    settings = engine.settings
    if read_role(engine.worker) == "prefill" and not settings.switch(_NO_OVERLAP):
        source = settings.setting(_NO_OVERLAP, default=False).source
        yield f"prefills with the overlap scheduler on: {_NO_OVERLAP} false ({source})"
