"""How a rule is written: a function, its name the id, its docstring the title; and what rules are about."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain
from operator import attrgetter
from typing import Any, Generic, NotRequired, TypedDict, TypeVar, Unpack

from engines.effective import EngineFileProblem
from resource_graph import Aspect, Resource, ResourceGraph
from resource_graph.printable import one_line
from resource_graph.values import Path
from rules.reading.benchmarks import Benchmark, read_benchmarks
from rules.reading.disaggregation import Disaggregated, KvHop, read_disaggregated, read_hops
from rules.reading.engines.settings import is_tensorrt_llm
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


class Status(Enum):
    """How sure a finding is."""

    FAILED = "failed"
    UNDECIDED = "undecided"
    """A value that the rule needs is unknown. Never a pass, and never a reason to stop a deployment."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a rule's check saw about one resource."""

    resource: Resource
    subject: str
    """Name of the judged part: a service of the graph, or the resource itself."""
    message: str
    """What is wrong or unknown, with the numbers that were compared."""
    status: Status
    path: Path = ()
    """Path of the field in question; empty where the whole resource is meant."""
    advisory: bool = False
    """Whether this observation is advice although its rule is mandatory."""


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
    check: Callable[[ResourceGraph], Iterable[Observation]]
    lines: tuple[str, ...]
    """Releases in whose code, documentation or runs the reason was read, such as "Dynamo 1.2".

    Another release may behave otherwise.
    """
    reads: frozenset[Aspect] = frozenset()
    """Aspects that the rule needs and not every origin tells; where one is missing the rule is not
    evaluated."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What is wrong with a subject, and stops no deployment even where the rule is mandatory."""

    message: str


Said = str | Advice | Undecided | Observation
"""What a check says: what is wrong with its subject, or why nobody can tell; or an observation of its own,
which is about another resource or names a field."""
Check = Callable[[ResourceGraph, S], Iterable[Said]]
"""Looks at one subject, and may raise Undecided where the subject cannot be read."""


def failed(resource: Resource, subject: str, message: str, path: Path = ()) -> Observation:
    """The rule does not hold."""
    return _observation(resource, subject, message, Status.FAILED, path)


def advised(resource: Resource, subject: str, message: str, path: Path = ()) -> Observation:
    """The rule does not hold, in a way that stops no deployment even where the rule is mandatory."""
    return replace(failed(resource, subject, message, path), advisory=True)


def undecided(resource: Resource, subject: str, message: str, path: Path = ()) -> Observation:
    """Whether the rule holds cannot be told; the message says what is missing."""
    return _observation(resource, subject, message, Status.UNDECIDED, path)


def about(subject: Any, said: Iterable[Said]) -> Iterator[Observation]:
    """What is said of a part of what is judged, such as a worker of a graph."""
    return (_observed(subject.resource, subject.name, each) for each in said)


@dataclass(frozen=True, slots=True)
class Subjects(Generic[S]):
    """What rules are about, such as the workers of a graph: found, named, and undecided where unreadable."""

    find: Callable[[ResourceGraph], Iterable[S | Unreadable]]
    place: Callable[[S], tuple[Resource, str]] = attrgetter("resource", "name")
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
                        yield _observed(*self.place(subject), said)
            except self.passed_over:
                continue
            except Undecided as reason:
                yield undecided(*self.place(subject), str(reason))


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


class RuleText(TypedDict):
    """What a rule says of itself."""

    severity: Severity
    """Mandatory only where the reason was read in code or seen in a run."""
    reason: str
    """What breaks where the rule does not hold."""
    source: str
    """Code, documentation or run in which the reason can be read."""
    lines: tuple[str, ...]
    """Releases in which the reason was read, or EVERY_RELEASE."""
    fix: str
    """What a person does about a failed finding."""
    reads: NotRequired[frozenset[Aspect]]
    """Aspects of a graph that the rule needs and not every origin tells."""


def rule(subjects: Subjects[S], **text: Unpack[RuleText]) -> Callable[[Check[S]], Rule]:
    """Makes a rule of a check that looks at one subject at a time."""

    def made(check: Check[S]) -> Rule:
        return Rule(**_named(check), **text, check=lambda graph: subjects.judge(graph, check))

    return made


def graph_rule(
    **text: Unpack[RuleText],
) -> Callable[[Callable[[ResourceGraph], Iterable[Observation]]], Rule]:
    """Makes a rule of a check of a whole graph, or of several kinds of subjects."""

    def made(check: Callable[[ResourceGraph], Iterable[Observation]]) -> Rule:
        return Rule(**_named(check), **text, check=check)

    return made


def _named(check: Callable[..., object]) -> dict[str, str]:
    title = (check.__doc__ or "").strip().removesuffix(".")
    return {"id": check.__name__.replace("_", "-"), "title": title, "module": check.__module__}


def _observation(resource: Resource, subject: str, message: str, status: Status, path: Path) -> Observation:
    shown = one_line(subject, _LONGEST_SUBJECT), one_line(message, _LONGEST_MESSAGE)
    return Observation(resource, *shown, status, path)


def _observed(resource: Resource, name: str, said: Said) -> Observation:
    if isinstance(said, Observation):
        return said
    if isinstance(said, Undecided):
        return undecided(resource, name, str(said))
    if isinstance(said, Advice):
        return advised(resource, name, said.message)
    return failed(resource, name, said)


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
    return resources(lambda graph: graph.kubernetes_objects(kind))


def resources_of_type(*type_tokens: str) -> Subjects[Resource]:
    """Resources of these types of Pulumi's, one type after the other."""
    return resources(lambda graph: chain.from_iterable(map(graph.of_type, type_tokens)))


def resources(find: Callable[[ResourceGraph], Iterable[Resource]]) -> Subjects[Resource]:
    """Resources that are found by a function."""
    return Subjects(find, lambda each: (each, each.name))
