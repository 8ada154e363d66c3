"""A cluster that answers from a recording: stack dev, healthy, in the lab (healthy.json), and broken in it.

Written with `kubectl get -o json` from the simulated cluster on 2026-11-28, without what nobody reads here.
"""

import copy
import datetime as dt
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from components.cluster_answer import Answer, Kind, Objects, Said
from failures.health import ServingObjects
from hardware import KvPath
from operations.doctor.finding import Diagnosis
from operations.doctor.run import diagnose
from operations.doctor.view import View, look
from operations.document import Verdict
from operations.smoke.graph_pods import GraphPods
from operations.smoke.registration import Target
from operations.smoke.results import Judgement, Result, SmokeReport, good, wrong
from stacks.plan.infrastructure.eks_plan import PlannedNodes
from stacks.settings.cluster import CapacityBlock
from tests.support.shipped_stacks import shipped_stack

NAMESPACE, GRAPH, NODE = "gpt-oss", "gpt-oss-disagg", "p6-b200-0"
ROLES = {
    "Frontend": ("frontend",),
    "TrtllmPrefillWorker": ("prefill",),
    "TrtllmDecodeWorker": ("decode",),
}
NOW = dt.datetime(2026, 11, 28, 9, 0, tzinfo=dt.UTC)
_HEALTHY = json.loads((Path(__file__).parent / "healthy.json").read_text(encoding="utf-8"))

Item = dict[str, Any]


@dataclass
class RecordedCluster:
    """What a ClusterReader says; a test breaks one thing, or two."""

    listed: dict[str, list[Item]] = field(default_factory=lambda: copy.deepcopy(_HEALTHY))
    events: list[Item] = field(default_factory=list[Item])
    logs: dict[str, str] = field(default_factory=dict[str, str])
    """Part of a pod's name -> its log."""
    metrics: str = ""
    unreachable: str = ""
    """Why there is no answer at all."""
    block: CapacityBlock | None = None
    """In which the GPU nodes run."""
    forbidden: frozenset[str] = frozenset()
    """Kinds that this account may not read."""
    unconverted: str = ""
    """Why the API server gives no graph at another version than the stored one."""
    not_allowed: str = ""
    """Why this account may open no port-forward."""
    wrong_answers: dict[str, str] = field(default_factory=dict[str, str])
    """Question to the frontend -> what is wrong with the answer; those after it are not asked."""

    def diagnosis(self, kv: KvPath | None = None) -> Diagnosis:
        """What the doctor says of it, where the KV cache was decided to go this way."""
        return diagnose(self.view(kv), self.report(), NOW)

    def view(self, kv: KvPath | None = None) -> View:
        reader: Any = self
        stack = shipped_stack("dev")
        placed, [pool] = stack.serving.placed, [each.pool for each in stack.used_pools]
        if self.block:
            nodes = PlannedNodes("b200", pool, "us-east-1a", self.block, None, "gp3")
            eks = shipped_stack("disagg-b200-tcp").eks
            assert eks is not None
            stack = replace(stack, eks=replace(eks, gpu_nodes=(nodes,)))
        transport = replace(placed.kv_transport, path=kv) if kv and placed.kv_transport else None
        asked = Target(
            name="stack dev",
            stack="dev",
            url=None,
            model="openai/gpt-oss-120b",
            roles=("prefill", "decode"),
            placed=replace(placed, kv_transport=transport),
            pods=GraphPods(reader, NAMESPACE, GRAPH, ROLES),
        )
        served = ServingObjects(
            NAMESPACE, GRAPH, claim="model-cache", job="model-download", engine_files="engine-1"
        )
        return look(reader, served, asked, stack)

    def report(self) -> SmokeReport:
        """The frontend's answers: what comes after a wrong one is not asked."""
        results: list[Result] = []
        for name in ("frontend", "workers", "model", "chat"):
            failed = any(each.verdict is not Verdict.GOOD for each in results)
            said = self.wrong_answers.get(name)
            found = (
                Judgement(Verdict.NOT_RUN, "needs what failed")
                if failed and not self.not_allowed
                else wrong(said)
                if said
                else Judgement(Verdict.UNKNOWN, self.not_allowed)
                if self.not_allowed
                else good("well")
            )
            results.append(Result.of(name, name, found, None if failed else 0.4))
        return SmokeReport(
            target="stack dev",
            stack="dev",
            url=None,
            model="openai/gpt-oss-120b",
            is_mock=False,
            seconds=1.0,
            results=tuple(results),
        )

    def pods(self, role: str) -> list[Item]:
        """The pods of a role, to break them."""
        names = [name.lower() for name, roles in ROLES.items() if role in roles]
        labels = [(pod, (pod["metadata"].get("labels") or {})) for pod in self.listed["pods"]]
        return [pod for pod, label in labels if label.get("nvidia.com/dynamo-component", "").lower() in names]

    def one(self, kind: str, name: str) -> Item:
        """The object whose name has this in it."""
        [found] = [each for each in self.listed[kind] if name in each["metadata"]["name"]]
        return found

    # What the doctor asks of a reader, and of the person's own clients.

    @property
    def reader(self) -> Self:
        return self

    def within(self, _seconds: int) -> Self:
        return self

    def ask(self, kind: Kind, name: str = "", namespace: str | None = None, **selectors: str) -> Answer:
        if self.unreachable:
            return Answer(Said.UNREACHABLE, why=self.unreachable)
        if kind.plural in self.forbidden:
            return Answer(Said.FORBIDDEN, why="not allowed")
        if kind.plural == "events":
            about = selectors["fieldSelector"].rpartition("involvedObject.name=")[2]
            return Answer.of([each for each in self.events if each["involvedObject"]["name"] == about])
        items = self._of(kind.plural, namespace, selectors.get("labelSelector", ""))
        if kind.version == "v1beta1" and self.unconverted:
            return Answer(Said.UNREACHABLE, why=self.unconverted)
        if kind.plural not in self.listed:
            return Answer(Said.ABSENT)
        return Answer.of([each for each in items if not name or each["metadata"]["name"] == name])

    def find(self, objects: Objects) -> Answer:
        return self.ask(objects.kind, objects.name, objects.namespace, labelSelector=objects.labels)

    def shown(self, objects: Objects, *more: str, verb: str = "get") -> str:
        return self.command(verb, objects.kind.plural, objects.name, *objects.where, *more)

    def resource(self, kind: Kind) -> str:
        return kind.plural

    def log(self, name: str, *_: str) -> str:
        return next((text for part, text in self.logs.items() if part in name), "")

    def page(self, _path: str) -> str:
        return self.metrics

    def command(self, *words: str) -> str:
        return " ".join(["kubectl", *words])

    def _of(self, plural: str, namespace: str | None, selector: str) -> list[Item]:
        wanted = dict(pair.split("=", 1) for pair in selector.split(",") if pair)
        return [
            each
            for each in self.listed.get(plural, [])
            if (namespace is None or each["metadata"].get("namespace") == namespace)
            and wanted.items() <= (each["metadata"].get("labels") or {}).items()
        ]
