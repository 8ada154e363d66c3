"""A worker has the variable that keeps it away from a known defect of its runtime."""

from collections.abc import Iterator

from hardware.runtime_defects import DEEP_EP_CRASH_ACCELERATOR, DEEP_EP_CRASH_LINE, WITHOUT_DEEP_EP
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.commands.variables import variable
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.models import read_gpt_oss
from rules.reading.engines.runtime_version import runtime_image
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.nodes.placements import read_landing
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided

_OLDER_NAME = "TRTLLM_FORCE_ALLTOALL_METHOD"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, lambda worker, settings: _check_worker(graph, worker, settings))


def _check_worker(
    graph: ResourceGraph, worker: Worker, settings: TensorRtLlmSettings
) -> Iterator[Observation]:
    release = runtime_image(worker)
    # It was met with gpt-oss; recipes of the publisher for other models run there without the variable.
    if release is None or release[0][:2] != DEEP_EP_CRASH_LINE or read_gpt_oss(worker) is None:
        return
    ranks = settings.count("tensor_parallel_size", default=1)
    if ranks.value == 1 or not settings.switch("enable_attention_dp"):
        return
    if variable(worker, WITHOUT_DEEP_EP.name) or variable(worker, _OLDER_NAME):
        return
    try:
        landing = read_landing(graph, worker)
    except Undecided:
        # Without a GPU by name nobody can say that the defect is met.
        return
    if all(gpu.name == DEEP_EP_CRASH_ACCELERATOR for gpu in landing.accelerators):
        yield failed(
            worker.resource,
            worker.name,
            f"runs {ranks.value} ranks of attention data parallelism on {DEEP_EP_CRASH_ACCELERATOR} "
            f"({landing.source}) without {WITHOUT_DEEP_EP.name}={WITHOUT_DEEP_EP.value}: "
            f"{WITHOUT_DEEP_EP.why}",
        )


RULE = Rule(
    id="runtime-defects-avoided",
    title="A worker stays away from known defects of its runtime",
    severity=Severity.MANDATORY,
    reason="The defect was met on that hardware in that release: the engine stops.",
    source=f"{WITHOUT_DEEP_EP.source}",
    lines=("Dynamo 1.2",),
    fix="Set the variable that the finding names, or use a later release.",
    check=_check,
)
