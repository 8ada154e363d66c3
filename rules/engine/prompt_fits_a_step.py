"""A worker that prefills takes the prompts that its sequence length promises."""

from collections.abc import Iterator

from hardware import DEFAULT_MAX_NUM_TOKENS
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.models import read_gpt_oss
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.engines.transfer_buffers import longest_sequence
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.kv_transport.disaggregation import read_role
from rules.reading.pods.containers import EngineFileProblem
from rules.reading.pods.workers import Worker, check_workers

_STEP, _LENGTH = "--max-num-batched-tokens", "--max-model-len"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    yield from check_tensorrt_llm(graph, _check_worker)
    yield from check_workers(graph, lambda worker: _check_vllm(graph, worker))


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    if read_role(worker) == "decode" or settings.switch("enable_chunked_prefill"):
        return
    sequence = longest_sequence(settings, read_gpt_oss(worker))
    step = settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    if sequence.value > step.value:
        yield failed(
            worker.resource,
            worker.name,
            f"refuses prompts of more than max_num_tokens {step.value} ({step.source}) tokens, although it "
            f"promises {sequence.value} ({sequence.source}): enable_chunked_prefill is off",
        )


def _check_vllm(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    if not is_vllm(worker):
        return
    try:
        settings = read_vllm(graph, worker)
    except EngineFileProblem:
        # It fails where such files are judged.
        return
    given = [settings.at(option) for option in (_STEP, _LENGTH)]
    if settings.switch("--enable-chunked-prefill") is not False or not all(
        each is not None and str(each.value).isdigit() for each in given
    ):
        return
    step, length = settings.count(_STEP, 0), settings.count(_LENGTH, 0)
    if length.value > step.value:
        yield failed(
            worker.resource,
            worker.name,
            f"{_STEP} {step.value} is less than {_LENGTH} {length.value}, and chunked prefill is off: vLLM "
            "ends at start",
        )


RULE = Rule(
    id="prompt-fits-a-step",
    title="A worker that prefills takes prompts as long as its sequences",
    severity=Severity.ADVISORY,
    reason=(
        "Without chunked prefill a prompt has to fit in one step of the engine; a longer one is refused, "
        "though clients are told of max_seq_len alone, or where it is not set of the model's own length."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (enable_chunked_prefill, max_num_tokens); PyPI "
        "package ai-dynamo 1.2.1, dynamo/trtllm/workers/llm_worker.py (context_length); vllm 0.23.0 "
        "vllm/config/scheduler.py (verify_max_model_len)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "Dynamo 1.2"),
    fix="Set enable_chunked_prefill: true, raise max_num_tokens, or write a lower max_seq_len.",
    check=_check,
)
