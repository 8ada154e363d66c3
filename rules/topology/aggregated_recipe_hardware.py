"""The aggregated recipe runs on the GPUs that it was published for."""

from collections.abc import Iterator

from hardware import INSTANCE_TYPES, Accelerator
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.commands.start_script import TENSORRT_LLM
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.models import read_gpt_oss
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.kv_transport.disaggregation import read_role
from rules.reading.nodes.placements import read_landing
from rules.reading.pods.workers import Worker


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, lambda worker, settings: _check_worker(graph, worker, settings))


def _check_worker(
    graph: ResourceGraph, worker: Worker, settings: TensorRtLlmSettings
) -> Iterator[Observation]:
    # NVIDIA's guide for trtllm-serve has the same settings for B200, H200 and GB200.
    if settings.command.engine != TENSORRT_LLM or read_gpt_oss(worker) is None:
        return
    if not settings.switch("enable_attention_dp") or read_role(worker) != "aggregated":
        return
    landing = read_landing(graph, worker)
    for accelerator in landing.accelerators:
        if _is_x86_blackwell(accelerator):
            yield failed(
                worker.resource,
                worker.name,
                "serves prefill and decode in one with attention data parallelism, which is published for "
                f"GB200 (arm64) only, and can land on {accelerator.name} (amd64, {landing.source})",
            )


def _is_x86_blackwell(accelerator: Accelerator) -> bool:
    return accelerator.architecture_family == "blackwell" and any(
        node.accelerator is accelerator and node.cpu_architecture == "amd64"
        for node in INSTANCE_TYPES.values()
    )


RULE = Rule(
    id="aggregated-recipe-hardware",
    title="The aggregated recipe runs on the GPUs that it was published for",
    severity=Severity.ADVISORY,
    reason=(
        "The recipe and its numbers are of four GB200. On B200 and B300 it should start, and nobody has "
        "published what it does there. (On Hopper its expert kernels are another rule's matter.)"
    ),
    source="ai-dynamo/dynamo docs, recipe gpt-oss-120b 1.2.1 (4x GB200, ARM64); ai-dynamo/dynamo#9914",
    lines=("Dynamo 1.2",),
    fix="Place it on GB200, or measure it before anybody relies on it.",
    check=_check,
)
