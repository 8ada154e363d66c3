"""Settings with a closed set of values have one of them, and counts are numbers."""

from collections.abc import Iterator, Mapping

from hardware import ENGINE_BLOCK_KEYS, ENGINE_CHOICES, ENGINE_CHOICES_IN_ANY_CASE, ENGINE_COUNTS
from resource_graph import ResourceGraph, Value
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.tensorrt_llm import Setting, TensorRtLlmSettings
from rules.reading.pods.workers import Worker

_FRACTION = ("kv_cache_config", "free_gpu_memory_fraction")
_PATHS = (*ENGINE_CHOICES, *sorted(ENGINE_COUNTS), _FRACTION)
_BY_FLAG = frozenset({_FRACTION, ("load_format",), ("guided_decoding_backend",)})
"""Settings with bounds or choices that a flag may set; flags that are counts are no text anyway."""


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, _check_worker)


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    broken = {
        block: source
        for source, written in settings.written()
        for block in ENGINE_BLOCK_KEYS
        if written.get(block) is not None and not isinstance(written[block], Mapping)
    }
    for block, source in broken.items():
        yield failed(worker.resource, worker.name, f"{block} in {source} is no mapping of settings")
    written = {key for _, mapping in settings.written() for key in mapping}
    for path in _PATHS:
        if path[0] in broken or (path[0] not in written and path not in _BY_FLAG):
            continue
        setting = settings.at(*path)
        problem = None if setting is None else _problem(path, setting)
        if setting is not None and problem is not None:
            message = f"{'.'.join(path)} in {setting.source} is {setting.value!r}{problem}"
            yield failed(worker.resource, worker.name, message)


def _problem(path: tuple[str, ...], setting: Setting) -> str | None:
    if path in ENGINE_CHOICES:
        return _problem_of_choice(path, setting.value)
    if path == _FRACTION:
        number = _number(setting.value)
        return None if number is not None and 0 <= number <= 1 else ", not a number from 0 to 1"
    number = _number(setting.value)
    return None if number is not None and number >= 0 and number == int(number) else ", not a whole number"


def _problem_of_choice(path: tuple[str, ...], value: Value) -> str | None:
    allowed = ENGINE_CHOICES[path]
    text = value.upper() if isinstance(value, str) and path in ENGINE_CHOICES_IN_ANY_CASE else value
    if isinstance(text, str) and text in allowed:
        return None
    other_case = [choice for choice in allowed if choice.lower() == str(value).lower()]
    if other_case:
        return f", and capitals matter: write {other_case[0]}"
    return f", not one of {', '.join(sorted(allowed))}"


def _number(value: Value) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    # Neither "nan" nor "inf" is a size.
    return number if abs(number) < float("inf") else None


RULE = Rule(
    id="engine-values-allowed",
    title="Every setting has a value that the engine accepts",
    severity=Severity.MANDATORY,
    reason="The engine checks its settings before it loads anything, and the worker ends at start.",
    source="NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py around release 1.3.0rc14",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Write one of the values that the finding names.",
    check=_check,
)
