"""Releases of Helm charts, of the platform and its operator, and of the engines in images."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from engines.registry import ENGINE_IMAGES
from engines.release import ReleaseLine, Vocabulary
from resource_graph import Resource, ResourceGraph, Value
from rules.reading.commands.container_commands import VLLM_SERVE
from rules.reading.pods.containers import Image, read_image, release_line
from rules.reading.pods.pods import PodTemplate, read_pods, readable
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, grouped, known, memoized, text_at

CHART_TYPES = (
    "kubernetes:helm.sh/v3:Release",
    "kubernetes:helm.sh/v3:Chart",
    "kubernetes:helm.sh/v4:Chart",
)
PLATFORM_TYPE = "dynamo-stack:check:Platform"
"""Type of the resource that stands for a platform that a person named beside a file."""
PLATFORM_CHART = "dynamo-platform"
DRIVER_CHARTS = ("nvidia-dra-driver-gpu", "dra-driver-nvidia-gpu")
_VERSION_OF_ARCHIVE = re.compile(rf"{PLATFORM_CHART}-(\d[^/]{{0,100}}?)\.tgz$")
VLLM_IMAGE = "vllm-openai"
"""Name of vLLM's own image."""
RUNTIMES = frozenset({"tensorrtllm-runtime", "vllm-runtime", "sglang-runtime", "dynamo-frontend"})
"""Images that NVIDIA publishes together with the operator, under its version."""
_Judgement = TypeVar("_Judgement")
_ENGINE_RUNTIMES = RUNTIMES - {"dynamo-frontend"}
_TAG = re.compile(r"v?(\d+)\.(\d+)\.(\d+)(.*)")
_BEFORE_THE_RELEASE = re.compile(r"\d[-.]?(?:.*-)?(?:dev|rc|a|alpha|beta|test)(?:[-.]?\d|$)")
_LAST_OF_ZERO = (0, 9)
READ_SINCE: ReleaseLine = (1, 0)
"""The Dynamo release from which on TensorRT-LLM's own code was read: files of January to June 2026, which
agree with each other."""
VLLM_0_20: Collection[ReleaseLine] = frozenset({(1, 2)})
"""The line of Dynamo with vLLM 0.20.1."""
# What follows a release in the tags that NVIDIA publishes; other builds have engines of their own.
_PUBLISHED_TAG = re.compile(r"v?\d+\.\d+\.\d+(?:-efa|-cuda\d+|-amd64|-arm64)*")


@memoized
def releases_of(graph: ResourceGraph, charts: str | tuple[str, ...]) -> Sequence[Resource]:
    """Releases of those charts, by the start of the name: a packaged file's name ends in its version."""
    candidates = (resource for release_type in CHART_TYPES for resource in graph.of_type(release_type))
    return [release for release in candidates if _chart_name(release).startswith(charts)]


def platform_resource(version: str) -> Resource:
    """A platform that a person named, as a resource of the graph that it is judged with."""
    inputs = {"version": version}
    return Resource(urn="platform", type=PLATFORM_TYPE, name=PLATFORM_CHART, inputs=inputs, custom=False)


@memoized
def read_platforms(graph: ResourceGraph) -> Sequence[tuple[str, str]]:
    """Name and version of every release of the platform that can be read; the one named stands for all."""
    named = graph.of_type(PLATFORM_TYPE)
    if named:
        return [(resource.name, str(resource.inputs["version"])) for resource in named]
    found = (
        (resource.name, known(_chart_version, resource)) for resource in releases_of(graph, PLATFORM_CHART)
    )
    return [(name, version) for name, version in found if version is not None]


def operator_line(graph: ResourceGraph, resource: Resource) -> ReleaseLine:
    """Major and minor version: of the platform beside the graph, else of the images that its pods run."""
    of_platforms = {release_line(version) for _, version in read_platforms(graph)}
    lines = sorted({*filter(None, of_platforms)} or {*_lines_of_images(graph).get(resource.urn, ())})
    if len(lines) != 1:
        said = " and ".join(f"{major}.{minor}" for major, minor in lines) or "nothing"
        raise Undecided(f"{said} says of which release the operator is")
    return lines[0]


def runtime_image(worker: Worker) -> tuple[tuple[int, int, int], str] | None:
    """The release of the publisher's runtime image and what follows it in the tag, such as `-efa`.

    None for an image of another name, or a tag that is no release's.
    """
    image = read_image(worker.container)
    match = None if image is None or image.name not in _ENGINE_RUNTIMES else _TAG.fullmatch(image.tag or "")
    if match is None:
        return None
    major, minor, patch, rest = match.groups()
    return (int(major), int(minor), int(patch)), rest


def known_lines(container: Mapping[str, Value], template: PodTemplate) -> tuple[ReleaseLine, ...]:
    """The release lines that a container's image can be of: two for a build between two releases.

    Empty where neither a publisher's tag nor `runtimeVersionOverride` says so, such as for `my-tag`.
    """
    try:
        image = read_image(container)
        override = release_line(text_at(template.described_by, "runtimeVersionOverride"))
    except Undecided:
        return ()
    if override is not None:
        return (override,)
    if image is None or image.name not in RUNTIMES or image.line is None:
        return ()
    # A build from the main branch, such as 1.4.0-kimi-k3-dev.1, is between two releases.
    if _BEFORE_THE_RELEASE.search(image.tag or "") is None:
        return (image.line,)
    major, minor = image.line
    return ((major, minor - 1) if minor else _LAST_OF_ZERO, image.line)


def by_line(
    judge: Callable[[ReleaseLine], _Judgement],
    container: Mapping[str, Value],
    template: PodTemplate,
) -> _Judgement:
    """What a judgement is under the release that the container's image is of."""
    lines = known_lines(container, template)
    results = [judge(line) for line in lines]
    if results and all(result == results[0] for result in results):
        return results[0]
    image = read_image(container)
    shown = "no image" if image is None else f"image {image.text}"
    said = "does not say of which release it is" if not lines else "is a build between two releases"
    raise Undecided(f"{shown} {said}, and releases differ in this")


def line_of_own_image(image: Image) -> ReleaseLine | None:
    """The line of Dynamo that names the release of an image such as vllm/vllm-openai:v0.20.1."""
    for repository, lines in ENGINE_IMAGES.items():
        if f"/{image.repository}".endswith(f"/{repository}"):
            named = re.match(r"v?(\d+\.\d+(?:\.\d+rc\d+)?)", image.tag or "")
            return None if named is None else lines.get(named[1])
    return None


def lines_of_engine(worker: Worker) -> tuple[ReleaseLine, ...]:
    """The lines of Dynamo that a worker's engine can be of: of its runtime, or of the engine's own image."""
    lines = known_lines(worker.container, worker.template)
    image = None if lines else known(read_image, worker.container)
    own = None if image is None else line_of_own_image(image)
    return lines if own is None else (own,)


def as_read(
    worker: Worker, messages: Iterable[str], read: Collection[ReleaseLine]
) -> Iterator[str | Undecided]:
    """What is wrong with a worker's engine; undecided unless its image is of lines that were read.

    Engines gain kernels, values and settings with each release, and lose a few.
    """
    lines = lines_of_engine(worker)
    if lines and all(line in read for line in lines):
        yield from messages
        return
    for message in messages:
        yield Undecided(
            f"{message}; that was read in other releases than that of {shown_image(worker.container)}"
        )


def line_of(container: Mapping[str, Value], vocabulary: Vocabulary | None) -> ReleaseLine | None:
    """The release line of the container's image; None for an image that is not published or was not read."""
    if vocabulary is None:
        return None
    image = read_image(container)
    if image is None or _PUBLISHED_TAG.fullmatch(image.tag or "") is None:
        return None
    line = image.line if image.name in RUNTIMES else line_of_own_image(image)
    return line if line in vocabulary.by_line else None


def shown_command(engine: str, line: ReleaseLine | None) -> str:
    """The command and its own release, for a message."""
    name = f"{VLLM_SERVE} serve" if engine == VLLM_SERVE else engine
    if line is None:
        return f"{name} in any release that was read"
    if engine == VLLM_SERVE:
        return (
            f"{name} {next(own for own, named in ENGINE_IMAGES['vllm/vllm-openai'].items() if named == line)}"
        )
    return f"{name} {line[0]}.{line[1]}"


def _chart_version(release: Resource) -> str | None:
    version, chart = text_at(release.inputs, "version"), text_at(release.inputs, "chart")
    archive = _VERSION_OF_ARCHIVE.search(chart or "")
    return version or (archive.group(1) if archive else None)


def _chart_name(release: Resource) -> str:
    chart = release.inputs.get("chart")
    # A chart is a name, an address whose last part is the name, or a packaged file.
    return chart.rstrip("/").rpartition("/")[2] if isinstance(chart, str) else ""


@memoized
def _lines_of_images(graph: ResourceGraph) -> Mapping[str, Sequence[ReleaseLine]]:
    """URN of a Dynamo graph -> release lines of the images that its pods run, as far as that is told."""
    pods = (each for each in readable(read_pods(graph)) if each.shape != "workload")
    images = ((each.resource.urn, known(read_image, each.main)) for each in pods)
    told = ((urn, image.line) for urn, image in images if image is not None and image.name in RUNTIMES)
    return grouped((urn, line) for urn, line in told if line is not None)


def shown_image(container: Mapping[str, Value]) -> str:
    """The container's image, for a message."""
    image = read_image(container)
    return "an unnamed image" if image is None else f"image {image.text}"
