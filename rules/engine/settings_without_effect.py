"""No setting is without effect."""

from collections.abc import Iterator

from hardware import ATTENTION_BACKENDS
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engine_release import TENSORRT_LLM_LINES, as_read
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings, option_value
from rules.reading.engines.tensorrt_llm_options import OPTIONS
from rules.reading.pods.workers import Worker


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, _check_worker)


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    yield from _attention_balance(worker, settings)
    yield from _overridden_flags(worker, settings)
    yield from as_read(worker, _attention_backend(worker, settings), TENSORRT_LLM_LINES)


def _attention_balance(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    block = settings.at("attention_dp_config")
    if block is None or settings.switch("enable_attention_dp"):
        return
    source = settings.setting("enable_attention_dp", default=False).source
    yield failed(
        worker.resource,
        worker.name,
        f"attention_dp_config in {block.source} has no effect: enable_attention_dp is false ({source})",
    )


def _attention_backend(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    backend = settings.at("attn_backend")
    if backend is None or backend.value in ATTENTION_BACKENDS:
        return
    known = ", ".join(sorted(ATTENTION_BACKENDS))
    yield failed(
        worker.resource,
        worker.name,
        f"attn_backend {backend.value} in {backend.source} is none of {known}: "
        "the engine takes TRTLLM and says nothing",
    )


def _overridden_flags(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    for path, option in OPTIONS[settings.command.engine].items():
        given = option_value(settings.command, settings.flags, option)
        if given.source not in option.flags:
            continue
        acting = settings.at(*path)
        shown = None if acting is None else acting.value
        if acting == given or _same(shown, given.value):
            continue
        by = "the engine's default" if acting is None else f"{shown} ({acting.source})"
        yield failed(
            worker.resource,
            worker.name,
            f"{given.source} {given.value} has no effect on {'.'.join(path)}: what acts is {by}",
        )


def _same(acting: object, given: object) -> bool:
    return str(acting).lower() == str(given).lower() or _number(acting) == _number(given) is not None


def _number(value: object) -> float | None:
    try:
        return None if isinstance(value, bool) else float(str(value))
    except ValueError:
        return None


RULE = Rule(
    id="settings-without-effect",
    title="Every setting has an effect",
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
    check=_check,
)
