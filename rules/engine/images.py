"""Runtime images: whether they exist, bring the engine and suit the platform, and what is known to break."""

import re
from collections.abc import Iterator, Mapping
from functools import partial

from engines.tensorrt_llm.engine import (
    DEEP_EP_CRASH_ACCELERATOR,
    DEEP_EP_CRASH_LINE,
    WITHOUT_DEEP_EP,
)
from resource_graph import ResourceGraph
from resource_graph.spelling import SLIPS, slip_of
from rules.reading.commands.container_commands import (
    API_SERVER,
    DYNAMO_FRONTEND,
    DYNAMO_SGLANG,
    DYNAMO_VLLM,
    TENSORRT_LLM,
    command_line,
)
from rules.reading.engines.models import read_gpt_oss
from rules.reading.engines.settings import read_settings
from rules.reading.placements import read_landing
from rules.reading.pods.containers import Image, read_image, release_line
from rules.reading.pods.pods import PodTemplate
from rules.reading.pods.workers import Worker
from rules.reading.releases import (
    RUNTIMES,
    VLLM_IMAGE,
    read_platforms,
    runtime_image,
    shown_image,
)
from rules.reading.shapes import Undecided, known, text_at
from rules.rule import (
    EVERY_RELEASE,
    POD_TEMPLATES,
    READABLE_PODS,
    READABLE_WORKERS,
    TENSORRT_LLM_WORKERS,
    Advice,
    Observation,
    Said,
    Severity,
    graph_rule,
    rule,
)

_HOST = "nvcr.io/"
_REGISTRY = f"{_HOST}nvidia/ai-dynamo/"
_VLLM_REPOSITORIES = frozenset({"vllm/vllm-openai", "docker.io/vllm/vllm-openai"})
_GIT_TAG = re.compile(r"v\d")
"""Begin of a release's tag in git, which no image has."""
_WRONG_NAMES = {"trtllm-runtime": "tensorrtllm-runtime"}
_NAMES = (
    *sorted(RUNTIMES),
    "dynamo-planner",
    "epp-image",
    "kubernetes-operator",
    "snapshot-agent",
    "vllm-runtime-xpu",
)
_REPOSITORIES = frozenset(f"{_REGISTRY}{name}" for name in _NAMES)


def _unpublished(_: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    images = map(read_image, template.containers)
    for image in (each for each in images if each is not None and not each.is_placeholder):
        right = _published(image)
        # What stands before the first slash may be a registry's name, which may have capital letters.
        path = image.repository.partition("/")[2]
        is_to_be_filled_in = any(part.isupper() for part in path.split("/"))
        if path != path.lower() and (image.repository.lower() in _REPOSITORIES or not is_to_be_filled_in):
            yield f"image {image.text} has capital letters, which no path may have (InvalidImageName)"
        elif image.repository in _VLLM_REPOSITORIES and image.tag and image.tag[0].isdigit():
            yield f"image {image.text} is not published; its tags begin with v, as v{image.tag}"
        elif right is not None:
            yield f"image {image.text} is not published; the repository is {right}"
        elif image.repository in _REPOSITORIES and _GIT_TAG.match(image.tag or ""):
            yield f"image {image.text} is not published; its tags have no v before the version"


def _published(image: Image) -> str | None:
    """The publisher's repository that was meant; None where the image's own may be right."""
    path = image.repository.removesuffix(image.name)
    if path == _REGISTRY:
        meant = None if image.name in _NAMES else slip_of(image.name, _NAMES, SLIPS)
        right = _WRONG_NAMES.get(image.name, meant)
        return None if right is None else f"{_REGISTRY}{right}"
    if image.name not in RUNTIMES:
        return None
    # Other organisations of that host, and other hosts, keep copies, whose names are no slips of the pen.
    left_out = path == f"{_HOST}ai-dynamo/" or path.startswith(f"{_HOST}nvidia/")
    return f"{_REGISTRY}{image.name}" if left_out or slip_of(path, [_REGISTRY], SLIPS) else None


_ENGINE_OF_IMAGE: Mapping[str, str | None] = {
    "tensorrtllm-runtime": TENSORRT_LLM,
    "vllm-runtime": DYNAMO_VLLM,
    "sglang-runtime": DYNAMO_SGLANG,
    "dynamo-frontend": None,
}
_FRAMEWORKS: Mapping[str, str] = {"trtllm": TENSORRT_LLM, "vllm": DYNAMO_VLLM, "sglang": DYNAMO_SGLANG}
# The packages of ai-dynamo 1.2.1 to 1.6.0 on PyPI that can be started.
_MODULES = (
    *_FRAMEWORKS.values(),
    DYNAMO_FRONTEND,
    API_SERVER,
    "dynamo.global_planner",
    "dynamo.global_router",
    "dynamo.mocker",
    "dynamo.planner",
    "dynamo.profiler",
    "dynamo.router",
)
_MODULE = re.compile(r"(?<=-m )\s*(dynamo\.[a-z_]+|vllm\.[a-z_.]+)(?![\w.])")


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "An image that nobody publishes, or whose path has capital letters, cannot be pulled, and the pod "
        "never starts. Each runtime image holds one engine: python ends with 'No module named' of another "
        "one. The operator compares backendFramework with the command, and makes no pods where they differ."
    ),
    source=(
        "ai-dynamo/dynamo release notes of 1.2.1 (images), and the name in its older recipes, at 05e46aa; "
        "deploy/operator/internal/dynamo/graph.go (determineBackendFramework) at 2a6da14; ai-dynamo 1.2.1 to "
        "1.6.0 from PyPI (packages); distribution/reference regexp.go (path-component); "
        "vllm-project/vllm#22259 (gpt-oss since 0.10.1); "
        "https://cookbook.openai.com/articles/run-nvidia of August 2025, after TensorRT-LLM 0.21 of July"
    ),
    lines=("Dynamo 0.6 to 1.6",),
    fix=(
        "Use the runtime image of the engine that the command starts, under the name that the finding gives, "
        "and name the engine in backendFramework."
    ),
)
def image_brings_the_engine(graph: ResourceGraph) -> Iterator[Observation]:
    """Image is not published, or holds another engine than the command starts."""
    yield from READABLE_WORKERS.judge(graph, _other_engines)
    yield from POD_TEMPLATES.judge(graph, _unpublished)
    yield from READABLE_PODS.judge(graph, _misspelt_modules)


def _other_engines(_: ResourceGraph, worker: Worker) -> Iterator[str]:
    started = [command.engine for command in worker.commands if command.engine in _FRAMEWORKS.values()]
    image = read_image(worker.container)
    name = "" if image is None else image.name
    for engine in started:
        brings = _ENGINE_OF_IMAGE.get(name, engine)
        if image is not None and brings != engine:
            yield f"starts {engine}, but its image {image.text} holds {brings or 'no engine'}"
    model = read_gpt_oss(worker)
    if image is not None and image.line is not None and model is not None:
        without = f"image {image.text} cannot load {model.name}, which"
        if image.name == VLLM_IMAGE and image.line < (0, 10):
            yield f"{without} vLLM knows from 0.10.1 on"
        of_tensorrt_llm = image.repository.endswith("tensorrt-llm/release")
        if of_tensorrt_llm and image.line < (1, 0):
            yield f"{without} TensorRT-LLM knows from 1.0 on"
    framework = text_at(worker.template.graph_spec, "backendFramework")
    wanted = _FRAMEWORKS.get(framework or "")
    if wanted is not None and started and wanted not in started:
        yield (
            f"starts {started[0]}, but backendFramework of its graph is {framework}: the operator refuses it"
        )


def _misspelt_modules(_: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    for container in template.containers:
        words = [word or "" for word in command_line(container)]
        for module in _MODULE.findall(" ".join(words)):
            meant = None if module in _MODULES else slip_of(module, _MODULES)
            if meant is not None:
                yield f"starts python module {module}, which no release has: write {meant}"


_ADMITTED_SINCE = (1, 4)


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "From release 1.4 on admission refuses an image whose tag is no version, or that has a digest. "
        "Advice where releases differ: operator and runtime agree on variables, ports and discovery release "
        "by release."
    ),
    source=(
        "ai-dynamo/dynamo deploy/operator, admission of DynamoGraphDeployment since 1.4; its release notes "
        "(images and chart of one version)"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Take images of the chart's major and minor version, by a tag that is a version; or set "
        "runtimeVersionOverride: MAJOR.MINOR.PATCH."
    ),
)
def runtime_matches_platform(graph: ResourceGraph) -> Iterator[Observation]:
    """Runtime image is of another release than the platform, or says none."""
    platforms = read_platforms(graph)
    # With several nothing says which one serves a graph.
    for name, version in platforms if len(platforms) == 1 else ():
        line = release_line(version)
        if line is not None:
            check = partial(_of_another_release, line, f"{version} ({name})")
            yield from POD_TEMPLATES.judge(graph, check)


def _of_another_release(
    line: tuple[int, int], platform: str, _: ResourceGraph, template: PodTemplate
) -> Iterator[Said]:
    image = read_image(template.main)
    if template.shape == "workload":
        return
    shown = shown_image(template.main)
    is_told = line < _ADMITTED_SINCE or text_at(template.described_by, "runtimeVersionOverride")
    is_version = image is not None and image.line is not None and image.digest is None
    if not is_told and not is_version:
        yield f"{shown} has a digest, or no version as its tag, and no runtimeVersionOverride says it"
    elif image is not None and image.name in RUNTIMES and image.line is None:
        yield Undecided(f"{shown} does not say which release it is of")
    elif image is not None and image.name in RUNTIMES and image.line != line:
        yield Advice(f"{shown} runs under platform {platform}")


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.MANDATORY,
    reason="The defect was met on that hardware in that release: the engine stops.",
    source=WITHOUT_DEEP_EP.source,
    lines=("Dynamo 1.2",),
    fix="Set the variable that the finding names, or use a later release.",
)
def runtime_defects_avoided(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """Worker meets a known defect of its runtime."""
    settings = read_settings(graph, worker)
    release = runtime_image(worker)
    # It was met with gpt-oss; recipes of the publisher for other models run there without the variable.
    if release is None or release[0][:2] != DEEP_EP_CRASH_LINE or read_gpt_oss(worker) is None:
        return
    ranks = settings.count("tensor_parallel_size", default=1)
    # The second is the variable's older name.
    is_off = worker.variable(WITHOUT_DEEP_EP.name) or worker.variable("TRTLLM_FORCE_ALLTOALL_METHOD")
    if ranks.value == 1 or not settings.switch("enable_attention_dp") or is_off:
        return
    # Without a GPU by name nobody can say whether the defect applies.
    landing = known(read_landing, graph, worker)
    if landing is not None and all(gpu.name == DEEP_EP_CRASH_ACCELERATOR for gpu in landing[0]):
        yield (
            f"runs {ranks.value} ranks of attention data parallelism on {DEEP_EP_CRASH_ACCELERATOR} "
            f"({landing[1]}) without {WITHOUT_DEEP_EP.name}={WITHOUT_DEEP_EP.value}: "
            f"{WITHOUT_DEEP_EP.why}"
        )
