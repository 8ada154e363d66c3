"""How a rule is written: a function, its name the id, its docstring the title; and what rules are about."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import wraps
from typing import Any, Generic, Literal, TypeVar

from engines.effective import EngineFileProblem
from resource_graph import Aspect, Path, Resource, ResourceGraph
from resource_graph.printable import one_line
from rules.reading.benchmarks import Benchmark, read_benchmarks
from rules.reading.disaggregation import Disaggregated, KvHop, read_disaggregated, read_hops
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm
from rules.reading.gpu_pods import GpuPods, read_gpu_pods
from rules.reading.model_users import Kind, ModelUser, read_model_users
from rules.reading.model_volumes import ModelVolume, read_model_volumes
from rules.reading.pods.pods import GRAPH_KIND, PodTemplate, Unreadable, read_pods, readable
from rules.reading.pods.workers import Worker, read_frontends, read_workers
from rules.reading.shapes import Undecided

S = TypeVar("S")
EVERY_RELEASE: tuple[str, ...] = ()
"""Lines of a rule that holds in every release, such as one about Kubernetes' own API or an arithmetic one."""
_LONGEST_SUBJECT = 120
_LONGEST_MESSAGE = 800
"""Characters of a message, a third more than the longest without quotes; a quote may be a whole file."""


class Severity(Enum):
    """What a failed finding means for the person who deploys.

    Mandatory only where the reason was read in the engine's or operator's own code or seen in a run;
    inferences and estimates are advisory.
    """

    MANDATORY = "mandatory"
    ADVISORY = "advisory"


@dataclass(frozen=True, slots=True)
class Observation:
    """What a rule's check saw about one resource."""

    resource: Resource
    subject: str
    """Name of the judged part: a service of the graph, or the resource itself."""
    message: str
    """What is wrong or unknown, with the numbers that were compared."""
    status: Literal["failed", "undecided"]
    """undecided: a value that the rule needs is unknown. Never a pass, and never a reason to stop."""
    path: Path = ()
    """Path of the field in question; empty where the whole resource is meant."""
    advisory: bool = False
    """Whether this observation is advice although its rule is mandatory."""


GraphCheck = Callable[[ResourceGraph], Iterable[Observation]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One condition that must hold for a deployment to start, fit or be taken down again."""

    id: str
    title: str
    module: str
    """The module in which a person reads the rule."""
    severity: Severity
    """Severity of the rule's gravest finding, and of each that does not say otherwise."""
    reason: str
    """What breaks where the rule does not hold."""
    source: str
    """Code, documentation or run in which the reason can be read."""
    fix: str
    check: GraphCheck
    lines: tuple[str, ...]
    """Releases in whose code, documentation or runs the reason was read, such as "Dynamo 1.2".

    Another release may behave otherwise.
    """
    reads: frozenset[Aspect] = frozenset()
    """Aspects that the rule needs and not every origin tells; where one is missing the rule is not
    evaluated."""


class Advice(str):
    """What is wrong with a subject, and stops no deployment even where the rule is mandatory."""

    __slots__ = ()


Said = str | Advice | Undecided | Observation
"""What a check says: what is wrong with its subject, or why nobody can tell; or an observation of its own,
which is about another resource or names a field."""
Check = Callable[[ResourceGraph, S], Iterable[Said]]
"""Looks at one subject, and may raise Undecided where the subject cannot be read."""


def observed(resource: Resource, subject: str, said: Said, path: Path = ()) -> Observation:
    """What is said of a resource, or of the part of it that is the subject."""
    if isinstance(said, Observation):
        return said
    return Observation(
        resource,
        one_line(subject, _LONGEST_SUBJECT),
        one_line(str(said), _LONGEST_MESSAGE),
        "undecided" if isinstance(said, Undecided) else "failed",
        path,
        advisory=isinstance(said, Advice),
    )


def failed(resource: Resource, subject: str, message: str, path: Path = ()) -> Observation:
    """The rule does not hold."""
    return observed(resource, subject, message, path)


def undecided(resource: Resource, subject: str, message: str, path: Path = ()) -> Observation:
    """Whether the rule holds cannot be told; the message says what is missing."""
    return observed(resource, subject, Undecided(message), path)


def about(subject: Any, said: Iterable[Said]) -> Iterator[Observation]:
    """What is said of a part of what is judged, such as a worker of a graph."""
    return (observed(*place(subject), each) for each in said)


def place(subject: Any) -> tuple[Resource, str]:
    """A resource itself, or the one that the subject is a part of; and its name."""
    return (subject if isinstance(subject, Resource) else subject.resource), subject.name


@dataclass(frozen=True, slots=True)
class Subjects(Generic[S]):
    """What rules are about, such as the workers of a graph: found, named, and undecided where unreadable."""

    find: Callable[[ResourceGraph], Iterable[S | Unreadable]]
    place: Callable[[S], tuple[Resource, str]] = place
    """Returns the resource that a finding is about, and the subject's name in that resource."""
    passed_over: tuple[type[Undecided], ...] = ()
    """Reasons why a check cannot read on that are reported by another rule."""

    def judge(self, graph: ResourceGraph, check: Check[S]) -> Iterator[Observation]:
        """Observations of the check; an unreadable subject is undecided, and the others are judged."""
        for subject in self.find(graph):
            if isinstance(subject, Unreadable):
                yield undecided(subject.resource, subject.name, subject.reason)
                continue
            # Most subjects have no mistake, and their place need not be looked up.
            try:
                for said in check(graph, subject):
                    if not isinstance(said, self.passed_over):
                        yield observed(*self.place(subject), said)
            except self.passed_over:
                continue
            except Undecided as reason:
                yield observed(*self.place(subject), reason)


def each_of(graph: ResourceGraph, subject: S, *checks: Check[S]) -> Iterator[Said]:
    """What several checks say of one subject; where one cannot judge, the others do."""
    reasons: set[str] = set()
    for check in checks:
        try:
            yield from check(graph, subject)
        except Undecided as reason:
            if str(reason) not in reasons:
                yield reason
            reasons.add(str(reason))


def names(things: Iterable[Any]) -> str:
    """Names of several things, for a message."""
    return ", ".join(dict.fromkeys(each.name for each in things))


def rule(
    subjects: Subjects[S],
    *,
    severity: Severity,
    reason: str,
    source: str,
    lines: tuple[str, ...],
    fix: str,
    reads: frozenset[Aspect] = frozenset(),
) -> Callable[[Check[S]], Rule]:
    """Makes a rule of a check that looks at one subject at a time; `Rule` says what the others mean."""

    def made(check: Check[S]) -> Rule:
        @wraps(check)
        def judged(graph: ResourceGraph) -> Iterator[Observation]:
            return subjects.judge(graph, check)

        return graph_rule(severity=severity, reason=reason, source=source, lines=lines, fix=fix, reads=reads)(
            judged
        )

    return made


def graph_rule(
    *,
    severity: Severity,
    reason: str,
    source: str,
    lines: tuple[str, ...],
    fix: str,
    reads: frozenset[Aspect] = frozenset(),
) -> Callable[[GraphCheck], Rule]:
    """Makes a rule of a check of a whole graph, or of several kinds of subjects."""
    return lambda check: Rule(
        id=check.__name__.replace("_", "-"),
        title=(check.__doc__ or "").strip().removesuffix("."),
        module=check.__module__,
        severity=severity,
        reason=reason,
        source=source,
        fix=fix,
        check=check,
        lines=lines,
        reads=reads,
    )


POD_TEMPLATES: Subjects[PodTemplate] = Subjects(read_pods)
"""Every template of pods: of graphs' services and components, and of workloads."""
GPU_PODS: Subjects[GpuPods] = Subjects(read_gpu_pods, lambda each: (each.template.resource, each.name))
"""Templates whose pods ask for GPUs."""
WORKERS: Subjects[Worker] = Subjects(read_workers)
"""Containers that ask for GPUs, with the engines that they start."""
READABLE_PODS: Subjects[PodTemplate] = Subjects(lambda graph: readable(read_pods(graph)))
READABLE_WORKERS: Subjects[Worker] = Subjects(
    lambda graph: readable(read_workers(graph)), passed_over=(EngineFileProblem,)
)
"""For a rule that looks at pods and workers, and tells but once which cannot be read."""
CONFIGURED_WORKERS: Subjects[Worker] = Subjects(read_workers, passed_over=(EngineFileProblem,))
"""Workers, for rules that read engine files; a file that cannot serve fails where such files are judged."""
TENSORRT_LLM_WORKERS: Subjects[Worker] = Subjects(
    lambda graph: (
        each for each in read_workers(graph) if isinstance(each, Unreadable) or is_tensorrt_llm(each)
    ),
    passed_over=(EngineFileProblem,),
)
VLLM_WORKERS: Subjects[Worker] = Subjects(
    lambda graph: (each for each in read_workers(graph) if isinstance(each, Unreadable) or is_vllm(each))
)
STARTED: Subjects[Worker] = Subjects(lambda graph: (*read_workers(graph), *read_frontends(graph)))
"""Every container that starts an engine or a frontend."""
DISAGGREGATED: Subjects[Disaggregated] = Subjects(
    read_disaggregated, lambda each: (each.resource, names(each.workers)), passed_over=(EngineFileProblem,)
)
"""Groups of prefill and decode workers that find each other."""
DISAGGREGATED_GRAPHS: Subjects[Disaggregated] = Subjects(
    read_disaggregated, lambda each: (each.resource, each.resource.name)
)
"""Groups of prefill and decode workers, called by their graph's name."""
ROUTERS: Subjects[Worker] = Subjects(
    lambda graph: (each for each in read_frontends(graph) if each.resource.kind == GRAPH_KIND),
    passed_over=(EngineFileProblem,),
)
"""Frontends of Dynamo graphs, which choose among the graph's workers."""
KV_HOPS: Subjects[KvHop] = Subjects(read_hops, lambda each: (each.group.resource, each.group.resource.name))
"""Groups whose KV cache travels from pod to pod."""
BENCHMARKS: Subjects[Benchmark] = Subjects(read_benchmarks, lambda each: (each.resource, each.template.name))
MODEL_VOLUMES: Subjects[ModelVolume] = Subjects(read_model_volumes)
"""Claims and directories of nodes from which a model is used."""


def model_users(*kinds: Kind) -> Subjects[ModelUser]:
    """Containers of these kinds that fetch or load a model."""
    return Subjects(lambda graph: (user for user in read_model_users(graph) if user.kind in kinds))


def kubernetes_objects(kind: str) -> Subjects[Resource]:
    """Objects of a Kubernetes kind."""
    return Subjects(lambda graph: graph.kubernetes_objects(kind))
