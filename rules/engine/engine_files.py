"""What an engine refuses of its settings, and what it takes and does not follow."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from engines.command_line import number
from engines.effective import Effective, EngineFile, EngineFileProblem, flag_of, option_value
from engines.release import kv_connectors
from engines.tensorrt_llm.keys import (
    ENGINE_BLOCK_KEYS,
    ENGINE_CHOICES,
    ENGINE_KEYS,
    KEYS_LINES,
    OPTIONS,
    REFUSED_WORDS,
    SETTINGS_LINES,
)
from engines.tensorrt_llm.options import EngineSettings
from resource_graph import ResourceGraph
from resource_graph.spelling import SLIPS, hint, slip_of
from rules.reading.commands.container_commands import DYNAMO_VLLM
from rules.reading.engines.models import checkpoint_name, read_mxfp4
from rules.reading.engines.settings import counts_below_one, is_tensorrt_llm, is_vllm, read_settings
from rules.reading.kv_ways import connector_problems
from rules.reading.objects.mistakes import PLACEHOLDER
from rules.reading.pods.containers import reference_names
from rules.reading.pods.workers import Worker
from rules.reading.releases import as_read, by_line, line_of, lines_of_engine
from rules.reading.shapes import Undecided, known
from rules.rule import WORKERS, Advice, Said, Severity, rule

_COMPILATION = "compilation_config"
_JSON_OPTIONS = ("kv_transfer_config", "kv_events_config", "speculative_config", _COMPILATION)
_VLLM_SHARE = "gpu_memory_utilization"
_VLLM_QUANTIZATION = "quantization"
_MXFP4 = "mxfp4"
_NEVER_NONE = (("max_batch_size",), ("max_num_tokens",))
"""Sizes of a step, of which the scheduler takes no request where one is 0."""
# Of these other rules say more.
_JUDGED_ELSEWHERE = (("cache_transceiver_config", "backend"), ("kv_cache_config", "dtype"))
_KNOWN = frozenset(ENGINE_KEYS).union(*ENGINE_BLOCK_KEYS.values())
_RELEASES = "TensorRT-LLM around 1.3.0rc14 and 1.3.0rc29, of Dynamo 1.2 and 1.6,"


@rule(
    WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "The engine reads and checks its settings before it loads anything: a file that is missing or no "
        "mapping, text that is no JSON, a removed key or a value that it does not take end the worker at "
        "start, and so does a misspelt key. Advice where a key is missing in the list of a release nearby, "
        "or does nothing."
    ),
    source=(
        "ai-dynamo 1.2.1 dynamo/trtllm/workers/llm_worker.py; NVIDIA/TensorRT-LLM "
        "tensorrt_llm/llmapi/llm_args.py, tensorrt_llm/commands/serve.py and "
        "tensorrt_llm/_torch/attention_backend/utils.py around release 1.3.0rc14, llm_args.py of 1.3.0rc22, "
        "and what is published of 1.3.0rc25 and rc27 to rc29 (keys.py); vllm 0.20.1 "
        "vllm/engine/arg_utils.py and vllm/config/model.py (_verify_quantization), vllm-project/vllm#19050"
    ),
    lines=("Dynamo 1.2 to 1.6", "TensorRT-LLM 1.3.0rc14 to rc29", "vLLM 0.20.1"),
    fix=(
        "Correct the file in the ConfigMap, the path that names it, or the key or value that the finding "
        "names; write each value in one place only, and JSON in single quotes."
    ),
)
def engine_settings_accepted(graph: ResourceGraph, worker: Worker) -> Iterator[Said]:
    """Engine refuses its settings, or does not follow them."""
    try:
        if is_tensorrt_llm(worker):
            settings = read_settings(graph, worker)
            yield from dict.fromkeys(_refused(worker, settings))
            yield from _without_effect(settings)
        elif is_vllm(worker):
            settings = read_settings(graph, worker)
            yield from _refused_by_vllm(worker, settings)
            yield from _other_quantization(graph, worker, settings)
    except EngineFileProblem as problem:
        yield str(problem)


def _refused(worker: Worker, settings: Effective) -> Iterator[Said]:
    unlisted: list[tuple[str, str]] = []
    for file in _written(settings):
        try:
            EngineSettings.model_validate(file.content, strict=False)
        except ValidationError as refusal:
            for error in refusal.errors():
                path = tuple(str(part) for part in error["loc"])
                if error["type"] != "extra_forbidden":
                    yield from _wrong_value(worker, file.source_of(path), path, error)
                elif path[-1] not in (ENGINE_BLOCK_KEYS[path[0]] if path[1:] else ENGINE_KEYS):
                    unlisted.append((".".join(path), file.source))
    yield from _unlisted(worker, unlisted)
    for path, allowed in ENGINE_CHOICES.items():
        given = settings.at(*path)
        text = "" if given is None else str(given.value)
        if given is not None and not {text, text.upper()} & allowed:
            message = f"{path[0]} in {given.source} is {text!r}, not one of {', '.join(sorted(allowed))}"
            yield from _unless_a_slip(worker, message, text, allowed)
    yield from _refused_words(worker, settings)


def _refused_words(worker: Worker, settings: Effective) -> Iterator[Said]:
    lines = lines_of_engine(worker)
    for path, words in REFUSED_WORDS.items():
        given = known(settings.at, *path)
        refused = None if given is None else words.get(str(given.value))
        if given is None or refused is None:
            continue
        if not lines or any(line in refused for line in lines):
            message = f"{'.'.join(path)} in {given.source} is {given.value}, which the engine does not take"
            yield from as_read(worker, [message], refused)


def _written(settings: Effective) -> Iterator[EngineFile]:
    """What a person wrote: the file, the override, and what a flag or its variable alone says."""
    yield from (settings.file, settings.overrides)
    for path, option in OPTIONS[settings.command].items():
        given = known(settings.at, *path)
        if (
            given is None
            or given.source not in (*option.flags, option.variable)
            or PLACEHOLDER.search(str(given.value))
            or reference_names(str(given.value))
        ):
            continue
        *blocks, key = path
        content = {key: given.value}
        yield EngineFile(given.source, {blocks[0]: content} if blocks else content)


def _wrong_value(worker: Worker, source: str, path: tuple[str, ...], error: Any) -> Iterator[Said]:
    value, bounds = error["input"], error.get("ctx", {})
    of_some_release = str(value) in REFUSED_WORDS.get(path, ())
    amount = known(number, value, "")
    at_a_bound = amount is not None and amount in (bounds.get("gt"), bounds.get("lt"))
    is_taken = at_a_bound and path not in _NEVER_NONE
    if of_some_release or path[:2] in _JUDGED_ELSEWHERE or is_taken:
        # The engine takes the bounds themselves.
        return
    if error["type"] == "value_error":
        message = f"{error['msg'].removeprefix('Value error, ')} ({source})"
        # Keys come and go; a contradiction is one in any release.
        yield from [message] if path else as_read(worker, [message], SETTINGS_LINES)
    elif error["type"] == "model_type":
        yield f"{'.'.join(path)} in {source} is no mapping of keys"
    else:
        wanted = error["msg"].replace("Input should", "it must")
        message = f"{'.'.join(path)} in {source} is {value!r}: {wanted}"
        allowed = bounds.get("expected", "").replace("'", "").replace(" or ", ", ").split(", ")
        is_choice = error["type"] == "literal_error"
        yield from _unless_a_slip(worker, message, str(value), allowed) if is_choice else [message]


def _unless_a_slip(worker: Worker, message: str, value: str, allowed: Iterable[str]) -> Iterable[Said]:
    # Releases differ in the words that they take, and in none does a slip of the pen pass.
    is_slip = slip_of(value, allowed) is not None
    return [message] if is_slip else as_read(worker, [message], SETTINGS_LINES)


def _unlisted(worker: Worker, found: list[tuple[str, str]]) -> Iterator[Said]:
    # Nobody has listed the keys of another release, but a slip of the pen, or a key at the depth of another
    # block, is one in any.
    names = ((each, each[0].rpartition(".")[2]) for each in found)
    slips = [each for each, name in names if name in _KNOWN or slip_of(name, _KNOWN, SLIPS) is not None]
    is_read = known(by_line, KEYS_LINES.__contains__, worker.container, worker.template)
    # What neither the line before nor the one after has, and is a slip of what both have, none between has.
    is_near = known(by_line, SETTINGS_LINES.__contains__, worker.container, worker.template)
    if found and not slips and not is_read:
        keys = ", ".join(key for key, _ in found)
        yield Undecided(f"whether the release of its image knows {keys} is not read; {_RELEASES} do not")
        return
    for key, source in slips or found:
        message = f"{key} in {source} is no key that TensorRT-LLM is known to have{_place_of(key)}"
        yield message if slips and (is_read or is_near) else Advice(message)


def _place_of(key: str) -> str:
    """Where a key belongs, or which one was meant, for a message's end."""
    block, _, name = key.rpartition(".")
    if block:
        at_the_top = "; it is one at the top level" if name in ENGINE_KEYS else ""
        return at_the_top or hint(name, ENGINE_BLOCK_KEYS[block])
    homes = sorted(block for block, names in ENGINE_BLOCK_KEYS.items() if name in names)
    return f"; it is one inside {' and '.join(homes)}" if homes else hint(name, ENGINE_KEYS)


def _without_effect(settings: Effective) -> Iterator[Said]:
    block = settings.at("attention_dp_config")
    if block is not None and not settings.switch("enable_attention_dp"):
        source = settings.setting("enable_attention_dp", default=False).source
        yield Advice(
            f"attention_dp_config in {block.source} has no effect: enable_attention_dp is false ({source})"
        )
    yield from map(Advice, _overridden_flags(settings))


def _overridden_flags(settings: Effective) -> Iterator[str]:
    for path, option in OPTIONS[settings.command].items():
        given = option_value(settings.flags, settings.environment, option)
        acting = settings.at(*path) if given.source in option.flags else given
        if acting != given and not _same(None if acting is None else acting.value, given.value):
            by = "the engine's default" if acting is None else f"{acting.value} ({acting.source})"
            yield f"{given.source} {given.value} has no effect on {'.'.join(path)}: what acts is {by}"


def _same(acting: object, given: object) -> bool:
    same_text = str(acting).lower() == str(given).lower()
    return same_text or known(number, acting, "") == known(number, given, "") is not None


def _refused_by_vllm(worker: Worker, settings: Effective) -> Iterator[str]:
    for name in _JSON_OPTIONS:
        given = settings.at(name)
        # A bare number is a level of compilation; what else is no JSON object raises EngineFileProblem.
        if given is not None and not (name == _COMPILATION and str(given.value).isdigit()):
            settings.mapping(name)
    yield from connector_problems(settings, line_of(worker.container, kv_connectors(DYNAMO_VLLM)))
    share = settings.at(_VLLM_SHARE)
    if share is not None and not 0 < (known(number, share.value, "") or 0) <= 1:
        given = f"{flag_of(_VLLM_SHARE)} ({share.source}) is {share.value}"
        yield f"{given}, not a share of the memory from 0 to 1"
    for name, count in counts_below_one(settings).items():
        yield f"{flag_of(name)} ({count.source}) is {count.value}, and vLLM takes 1 or more"


def _other_quantization(graph: ResourceGraph, worker: Worker, settings: Effective) -> Iterator[str]:
    """vLLM compares the option with the method that the checkpoint's config.json names."""
    given = settings.at(_VLLM_QUANTIZATION)
    if given is None or given.value is None or _MXFP4 in str(given.value).lower():
        return
    if known(read_mxfp4, graph, worker) is not None:
        name = checkpoint_name(worker.commands[0])
        yield (
            f"{_VLLM_QUANTIZATION} {given.value} ({given.source}) is not what {name} holds, "
            f"{_MXFP4}: vLLM refuses another method than the checkpoint's"
        )
