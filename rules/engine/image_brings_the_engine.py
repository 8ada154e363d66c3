"""Image, module and backendFramework are of one engine."""

import re
from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.commands.spelling import slip_of
from rules.reading.commands.start_script import DYNAMO_FRONTEND, DYNAMO_SGLANG, DYNAMO_VLLM, TENSORRT_LLM
from rules.reading.pods.images import read_image
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.shapes import Undecided, text_at, texts_at

_ENGINE_OF_IMAGE: Mapping[str, str] = {
    "tensorrtllm-runtime": TENSORRT_LLM,
    "vllm-runtime": DYNAMO_VLLM,
    "sglang-runtime": DYNAMO_SGLANG,
}
_WITHOUT_ENGINE = frozenset({"dynamo-frontend"})
_FRAMEWORKS: Mapping[str, str] = {"trtllm": TENSORRT_LLM, "vllm": DYNAMO_VLLM, "sglang": DYNAMO_SGLANG}
# The packages of ai-dynamo 1.2.1 to 1.6.0 on PyPI that can be started.
_MODULES = (
    *_FRAMEWORKS.values(),
    DYNAMO_FRONTEND,
    "dynamo.global_planner",
    "dynamo.global_router",
    "dynamo.mocker",
    "dynamo.planner",
    "dynamo.profiler",
    "dynamo.router",
)
_MODULE = re.compile(r"(?<=-m )\s*(dynamo\.[a-z_]+)(?![\w.])")


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for worker in read_workers(graph):
        if not isinstance(worker, Worker):
            continue
        try:
            yield from _check_worker(worker)
        except Undecided as reason:
            yield undecided(worker.resource, worker.name, str(reason))
    yield from check_pods(graph, _check_modules)


def _check_worker(worker: Worker) -> Iterator[Observation]:
    started = [command.engine for command in worker.commands if command.engine in _FRAMEWORKS.values()]
    image = read_image(worker.container)
    name = "" if image is None else image.name
    for engine in started:
        brings = _ENGINE_OF_IMAGE.get(name, engine)
        if image is not None and (brings != engine or name in _WITHOUT_ENGINE):
            holds = f"holds {brings}" if name in _ENGINE_OF_IMAGE else "holds no engine"
            yield failed(worker.resource, worker.name, f"starts {engine}, but its image {image.text} {holds}")
    framework = text_at(worker.template.graph_spec, "backendFramework")
    wanted = _FRAMEWORKS.get(framework or "")
    if wanted is not None and started and wanted not in started:
        yield failed(
            worker.resource,
            worker.name,
            f"starts {started[0]}, but backendFramework of its graph is {framework}: the operator refuses it",
        )


def _check_modules(template: PodTemplate) -> Iterator[Observation]:
    for container in template.containers:
        words = [word or "" for word in (*texts_at(container, "command"), *texts_at(container, "args"))]
        for module in _MODULE.findall(" ".join(words)):
            meant = None if module in _MODULES else slip_of(module, _MODULES)
            if meant is not None:
                message = f"starts python module {module}, which no release has: write {meant}"
                yield failed(template.resource, template.name, message)


RULE = Rule(
    id="image-brings-the-engine",
    title="Image, module and backendFramework are of one engine",
    severity=Severity.MANDATORY,
    reason=(
        "Each runtime image holds one engine: python ends with 'No module named' of another one. The "
        "operator compares backendFramework with the command, and makes no pods where they differ."
    ),
    source=(
        "ai-dynamo/dynamo deploy/operator/internal/dynamo/graph.go (determineBackendFramework) at 2a6da14; "
        "ai-dynamo 1.2.1 to 1.6.0 from PyPI (packages)"
    ),
    lines=("Dynamo 1.2 to 1.6",),
    fix="Use the runtime image of the engine that the command starts, and name it in backendFramework.",
    check=_check,
)
