"""Whether the Job of a benchmark finds a node, ends, and runs the same tools every time."""

import re
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import ResourceGraph, Value
from rules.model import EVERY_RELEASE, Severity
from rules.reading.benchmarks import Benchmark, read_target
from rules.reading.commands.container_commands import ContainerScript
from rules.reading.commands.words import Word
from rules.reading.pods.pod_affinity import selects
from rules.reading.shapes import field, mapping_at, mappings_at, text_at, whole_number_at
from rules.rule import rule
from rules.subjects import BENCHMARKS

_LOOP = re.compile(r"^[ \t]*(?:while|until)\b(.{0,4000}?)^[ \t]*done\b", re.DOTALL | re.MULTILINE)
_ONE_LINE_LOOP = re.compile(r"(?:^|[;&|][ \t]*)(?:while|until)\b([^\n]{0,2000}?);[ \t]*done\b", re.MULTILINE)
_PAUSE = re.compile(r"\bsleep\b")
# What ends a loop whose condition never comes: a failure, a comparison of a counter, a limit of time.
_BOUND = re.compile(
    r"\b(?:exit|return)[ \t]+[1-9]|\btimeout\b|\s-(?:lt|le|gt|ge|eq)\s|\(\([^)]{0,200}[<>]|--retry-max-time"
)
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_HOSTNAME = "kubernetes.io/hostname"
# https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/ (safe sysctls of Kubernetes 1.32)
_SAFE_SYSCTLS = frozenset(
    {
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.ping_group_range",
        "net.ipv4.ip_unprivileged_port_start",
        "net.ipv4.ip_local_reserved_ports",
        "net.ipv4.tcp_keepalive_time",
        "net.ipv4.tcp_fin_timeout",
        "net.ipv4.tcp_keepalive_intvl",
        "net.ipv4.tcp_keepalive_probes",
        "net.ipv4.tcp_rmem",
        "net.ipv4.tcp_wmem",
    }
)
_PIP = ("pip", "pip3")
_APT = ("apt-get", "apt")
# Options of `pip install` whose value is the next word.
_WITH_VALUE = frozenset(
    {"-t", "--target", "-r", "--requirement", "-i", "--index-url", "--extra-index-url", "-c", "--constraint"}
)


@rule(
    BENCHMARKS,
    severity=Severity.ADVISORY,
    reason="A Job whose target never comes up neither ends nor fails: nobody is told, and it keeps its node.",
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/agg/perf.yaml at 0d348a1 (bounded in perf/perf.yaml at "
        "1a5ac0f)"
    ),
    lines=EVERY_RELEASE,
    fix="Count the attempts and end after the last one, and set activeDeadlineSeconds on the Job.",
)
def benchmark_wait_bounded(_: ResourceGraph, benchmark: Benchmark) -> Iterator[str]:
    """A benchmark does not wait for its target for ever."""
    template = benchmark.script.template
    for owner in (template.described_by, template.spec):
        if whole_number_at(owner, "activeDeadlineSeconds") is not None:
            return
    text = benchmark.script.text
    loops = [match.group(1) for pattern in (_LOOP, _ONE_LINE_LOOP) for match in pattern.finditer(text)]
    if any(_PAUSE.search(loop) and not _BOUND.search(loop) for loop in loops):
        yield (
            "waits in a loop that nothing ends but its condition, and has no activeDeadlineSeconds: if the "
            "model never answers, it runs for ever"
        )


@rule(
    BENCHMARKS,
    severity=Severity.ADVISORY,
    reason=(
        "The operator writes the graph's name on each of its pods, so an anti-affinity to that label shuns "
        "the GPU workers too: on a small cluster no node is left. Without any placement hundreds of load "
        "processes compete with the engines for the CPUs of a GPU node."
    ),
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/agg/perf.yaml at 0d348a1, and for the labels "
        "deploy/operator/internal/consts/consts.go at 0367e40"
    ),
    lines=("Dynamo 1.2",),
    fix=(
        "Prefer nodes without GPUs (preferred node affinity, nvidia.com/gpu.present NotIn true) and drop the "
        "required anti-affinity, or narrow it by nvidia.com/dynamo-component-type."
    ),
)
def benchmark_off_its_target(graph: ResourceGraph, benchmark: Benchmark) -> Iterator[str]:
    """A benchmark finds a node, and if it can another one than the GPU workers'."""
    spec = benchmark.script.template.spec
    terms = _own_node_terms(spec)
    if terms:
        target = read_target(graph, benchmark, benchmark.runs[0])
        for term in terms:
            selector = mapping_at(term, "labelSelector")
            shunned = [worker.name for worker in target.workers if selects(selector, worker.template)]
            if shunned:
                yield (
                    f"must not share a node with {', '.join(shunned)} of {target.name} (required "
                    f"podAntiAffinity on {_HOSTNAME}): where they stand on every node that it tolerates, it "
                    "stays Pending"
                )
    elif not _chooses_nodes(spec):
        yield (
            "says nothing about its node, so its processes may take CPU from the GPU workers that it measures"
        )


def _own_node_terms(spec: Mapping[str, Value]) -> Sequence[Mapping[str, Value]]:
    terms = mappings_at(spec, "affinity", "podAntiAffinity", _REQUIRED)
    return [term for term in terms if text_at(term, "topologyKey") == _HOSTNAME]


def _chooses_nodes(spec: Mapping[str, Value]) -> bool:
    affinity = mapping_at(spec, "affinity")
    return bool(
        mapping_at(spec, "nodeSelector")
        or mapping_at(affinity, "nodeAffinity", _REQUIRED)
        or mappings_at(affinity, "nodeAffinity", _PREFERRED)
        or mappings_at(affinity, "podAffinity", _REQUIRED)
        or mappings_at(affinity, "podAntiAffinity", _PREFERRED)
    )


@rule(
    BENCHMARKS,
    severity=Severity.ADVISORY,
    reason=(
        "A privileged container owns its node, and namespaces with a baseline or restricted pod security "
        "standard refuse it; the kubelet sets a safe sysctl for any pod that names it."
    ),
    source="https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/",
    lines=EVERY_RELEASE,
    fix=(
        "Drop privileged and sysctl -w; give the pod securityContext.sysctls with name and value, such as "
        'net.ipv4.ip_local_port_range "1024 65000".'
    ),
)
def benchmark_unprivileged(_: ResourceGraph, benchmark: Benchmark) -> Iterator[str]:
    """A benchmark needs no privilege to set a safe sysctl."""
    if field(benchmark.script.container, "securityContext", "privileged") is not True:
        return
    names = {
        word.text.partition("=")[0]
        for words, _ in benchmark.script.arguments_of("sysctl")
        for word in words
        if "=" in word.text
    }
    if names and names <= _SAFE_SYSCTLS:
        yield f"is privileged to set {', '.join(sorted(names))}, which every pod may set for itself"


@rule(
    BENCHMARKS,
    severity=Severity.ADVISORY,
    reason=(
        "Two runs of the same Job then measure with different tools, or the second one does not start, and "
        "numbers of different days cannot be compared."
    ),
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/agg/perf.yaml at 0d348a1; releases: "
        "https://pypi.org/project/aiperf/"
    ),
    lines=("aiperf 0.13.0",),
    fix=(
        "Install releases from PyPI with their version (aiperf==0.13.0), or use an image that has the tools."
    ),
)
def benchmark_tool_pinned(_: ResourceGraph, benchmark: Benchmark) -> Iterator[str]:
    """A benchmark's tools are releases with a version."""
    problems = list(_unpinned(benchmark.script))
    if problems:
        yield f"installs when it starts: {'; '.join(problems)}"


def _unpinned(script: ContainerScript) -> Iterator[str]:
    for words, _ in script.arguments_of(*_PIP):
        for package in _installed(words):
            if "://" in package:
                yield f"{package.partition('@')[0]} from source, which needs git and the site at every run"
            elif "==" not in package:
                yield f"{package} in whichever version is the newest that day"
    for words, _ in script.arguments_of(*_APT):
        packages = [package for package in _installed(words) if "=" not in package]
        if packages:
            yield f"{', '.join(packages)} by apt-get, as root and in no version"


def _installed(words: Sequence[Word]) -> Iterator[str]:
    texts = [word.text for word in words if word.known]
    if "install" not in texts:
        return
    skip = False
    for text in texts[texts.index("install") + 1 :]:
        if skip or text.startswith("-"):
            skip = text in _WITH_VALUE
        elif text and not text.startswith((".", "/")):
            yield text
