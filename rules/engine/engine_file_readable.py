"""The files and JSON texts that a worker's settings come from exist and can be read."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.command_settings import CommandSettings
from rules.reading.engines.sglang import is_sglang, read_sglang
from rules.reading.engines.tensorrt_llm import is_tensorrt_llm, read_tensorrt_llm
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.pods.containers import EngineFileProblem
from rules.reading.pods.workers import Worker, check_workers

_COMPILATION = "--compilation-config"
_JSON_FLAGS = ("--kv-transfer-config", "--kv-events-config", "--speculative-config", _COMPILATION)


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    try:
        if is_tensorrt_llm(worker):
            read_tensorrt_llm(graph, worker)
        elif is_vllm(worker):
            yield from _check_json_flags(worker, read_vllm(graph, worker))
        elif is_sglang(worker):
            yield from _check_json_flags(worker, read_sglang(graph, worker))
    except EngineFileProblem as problem:
        yield failed(worker.resource, worker.name, str(problem))


def _check_json_flags(worker: Worker, settings: CommandSettings) -> Iterator[Observation]:
    for flag in _JSON_FLAGS:
        given = settings.at(flag)
        # A bare number is a level of compilation.
        if given is None or (flag == _COMPILATION and str(given.value).isdigit()):
            continue
        try:
            settings.mapping(flag)
        except EngineFileProblem as problem:
            yield failed(worker.resource, worker.name, str(problem))


RULE = Rule(
    id="engine-file-readable",
    title="A worker's engine settings can be read by the engine",
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
    check=_check,
)
