"""Files of engine settings: that they can be read, and that their keys exist and have an effect."""

from collections.abc import Iterable, Iterator, Mapping

from engines import ATTENTION_BACKENDS, ENGINE_BLOCK_KEYS, ENGINE_KEYS, REMOVED_ENGINE_KEYS
from resource_graph import ResourceGraph
from rules.model import Severity
from rules.reading.engines.command_settings import CommandSettings, is_sglang, is_vllm, read_sglang, read_vllm
from rules.reading.engines.engine_yaml import EngineFileProblem
from rules.reading.engines.tensorrt_llm import (
    OPTIONS,
    TensorRtLlmSettings,
    is_tensorrt_llm,
    option_value,
    read_tensorrt_llm,
)
from rules.reading.pods.workers import Worker
from rules.reading.releases import TENSORRT_LLM_LINES, as_read, by_line
from rules.reading.shapes import Undecided
from rules.reading.spelling import nearest, slip_of
from rules.rule import Said, rule
from rules.subjects import TENSORRT_LLM_WORKERS, WORKERS, TensorRtLlmWorker

_COMPILATION = "--compilation-config"
_JSON_FLAGS = ("--kv-transfer-config", "--kv-events-config", "--speculative-config", _COMPILATION)


@rule(
    WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "The worker ends at start when its engine file is missing, is no YAML or is no mapping, or when an "
        "option that takes JSON gets something else."
    ),
    source=(
        "ai-dynamo 1.2.1 dynamo/trtllm/workers/llm_worker.py; NVIDIA/TensorRT-LLM "
        "tensorrt_llm/commands/serve.py; vllm 0.20.1 vllm/engine/arg_utils.py; sglang 0.5.14 "
        "sglang/srt/server_args_config_parser.py"
    ),
    lines=("Dynamo 1.2", "TensorRT-LLM 1.3.0rc14", "vLLM 0.20.1", "SGLang 0.5.14"),
    fix=(
        "Correct the file in the ConfigMap, or the path in --extra-engine-args, --extra_llm_api_options or "
        "--config; write JSON in single quotes, so that no shell takes the double ones."
    ),
)
def engine_file_readable(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """A worker's engine settings can be read by the engine."""
    try:
        if is_tensorrt_llm(worker):
            read_tensorrt_llm(graph, worker)
        elif is_vllm(worker):
            yield from _wrong_json(read_vllm(graph, worker))
        elif is_sglang(worker):
            yield from _wrong_json(read_sglang(graph, worker))
    except EngineFileProblem as problem:
        yield str(problem)


def _wrong_json(settings: CommandSettings) -> Iterator[str]:
    for flag in _JSON_FLAGS:
        given = settings.at(flag)
        # A bare number is a level of compilation.
        if given is None or (flag == _COMPILATION and str(given.value).isdigit()):
            continue
        try:
            settings.mapping(flag)
        except EngineFileProblem as problem:
            yield str(problem)


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.MANDATORY,
    reason="The engine forbids keys that it does not know, so the worker ends at start.",
    source="NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py around release 1.3.0rc14",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Write what replaced it, as the finding says.",
)
def removed_engine_keys(_: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[Said]:
    """No setting is one that the engine has removed."""
    messages = [
        f"{key} in {source} is no setting of TensorRT-LLM any more: {REMOVED_ENGINE_KEYS[key]}"
        for source, written in engine.settings.written()
        for key in written
        if key in REMOVED_ENGINE_KEYS
    ]
    return _of_the_release(engine.worker, messages)


def _of_the_release(worker: Worker, messages: Iterable[str]) -> Iterator[Said]:
    return as_read(worker, messages, TENSORRT_LLM_LINES)


_LINE = (1, 2)
_SLIPS = 2
_KNOWN = frozenset(ENGINE_KEYS).union(*ENGINE_BLOCK_KEYS.values())
_RELEASE = "TensorRT-LLM around 1.3.0rc14, of Dynamo 1.2,"


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "The engine forbids keys that it does not know, so a misspelt one ends the worker at start. The list "
        "is of a commit near release 1.3.0rc14, so another release may know a key that is missing in it."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py, in the fork Tracin/TensorRT-LLM at 21a5a51, "
        "and later keys from its list of captured settings"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Correct the spelling, move the key to its block, or make sure that the image's release has it.",
)
def unlisted_engine_keys(_: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[str]:
    """Every setting has a name that the engine is known to have."""
    worker, found = engine.worker, list(_unlisted_keys(engine.settings))
    if not found:
        return
    # Nobody has listed the keys of another release, but a slip of the pen is one in any.
    slips = [each for each in found if slip_of(each[0].rpartition(".")[2], _KNOWN, _SLIPS) is not None]
    if not slips and not by_line(lambda line: line == _LINE, worker.container, worker.described_by):
        keys = ", ".join(key for key, _, _ in found)
        raise Undecided(f"whether the release of its image knows {keys} is not read; {_RELEASE} does not")
    for key, source, hint in slips or found:
        yield f"{key} in {source} is no setting that TensorRT-LLM around 1.3.0rc14 is known to have{hint}"


def _unlisted_keys(settings: TensorRtLlmSettings) -> Iterator[tuple[str, str, str]]:
    """Key, source and hint of each key that the engine does not list."""
    for source, written in settings.written():
        for key in written:
            if key not in ENGINE_KEYS and key not in REMOVED_ENGINE_KEYS:
                yield key, source, _home_of(key) or nearest(key, ENGINE_KEYS)
        for block, known in ENGINE_BLOCK_KEYS.items():
            content = written.get(block)
            if not isinstance(content, Mapping):
                continue
            for key in content:
                if key not in known:
                    hint = "; it is one at the top level" if key in ENGINE_KEYS else nearest(key, known)
                    yield f"{block}.{key}", source, hint


def _home_of(key: str) -> str:
    blocks = sorted(block for block, known in ENGINE_BLOCK_KEYS.items() if key in known)
    return f"; it is one inside {' and '.join(blocks)}" if blocks else ""


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "Whoever reads or changes it believes in something that does not happen. Newer releases of "
        "trtllm-serve let flags win over the file, so that the same words then mean something else."
    ),
    source=(
        "ai-dynamo 1.2.1 dynamo/trtllm/workers/llm_worker.py; NVIDIA/TensorRT-LLM "
        "tensorrt_llm/commands/serve.py; tensorrt_llm/_torch/attention_backend/utils.py at 00dbe28"
    ),
    lines=("Dynamo 1.2", "TensorRT-LLM 1.3.0rc14"),
    fix="Remove it, or what takes its effect away; write each value in one place only.",
)
def settings_without_effect(_: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[Said]:
    """Every setting has an effect."""
    settings = engine.settings
    block = settings.at("attention_dp_config")
    if block is not None and not settings.switch("enable_attention_dp"):
        source = settings.setting("enable_attention_dp", default=False).source
        yield f"attention_dp_config in {block.source} has no effect: enable_attention_dp is false ({source})"
    yield from _overridden_flags(settings)
    yield from _of_the_release(engine.worker, _attention_backend(settings))


def _attention_backend(settings: TensorRtLlmSettings) -> Iterator[str]:
    backend = settings.at("attn_backend")
    if backend is not None and backend.value not in ATTENTION_BACKENDS:
        known = ", ".join(sorted(ATTENTION_BACKENDS))
        yield (
            f"attn_backend {backend.value} in {backend.source} is none of {known}: "
            "the engine takes TRTLLM and says nothing"
        )


def _overridden_flags(settings: TensorRtLlmSettings) -> Iterator[str]:
    for path, option in OPTIONS[settings.command.engine].items():
        given = option_value(settings.command, option)
        if given.source not in option.flags:
            continue
        acting = settings.at(*path)
        shown = None if acting is None else acting.value
        if acting == given or _same(shown, given.value):
            continue
        by = "the engine's default" if acting is None else f"{shown} ({acting.source})"
        yield f"{given.source} {given.value} has no effect on {'.'.join(path)}: what acts is {by}"


def _same(acting: object, given: object) -> bool:
    return str(acting).lower() == str(given).lower() or _number(acting) == _number(given) is not None


def _number(value: object) -> float | None:
    try:
        return None if isinstance(value, bool) else float(str(value))
    except ValueError:
        return None
