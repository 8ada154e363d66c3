"""What the doctor finds, as text and as JSON, and the words by which known faults are found."""

import re
from collections.abc import Iterable, Mapping
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter, field_serializer

from operations.document import Document


class Stage(IntEnum):
    """What a request needs, from the ground up: a fault below explains those above."""

    NODES = 1
    GPUS = 2
    DEVICES = 3
    """EFA devices, and the channel of a compute domain."""
    VOLUME = 4
    DOWNLOAD = 5
    OPERATOR = 6
    SERVERS = 7
    """NATS and etcd."""
    GRAPH = 8
    SCHEDULING = 9
    IMAGE = 10
    START = 11
    """A container with its configuration, the engine, the model."""
    REGISTRATION = 12
    MODEL = 13
    TRANSFER = 14
    """The KV cache's way from prefill to decode."""
    ANSWER = 15


class Finding(Document):
    """One thing that is wrong."""

    stage: Stage
    """The step of a request's way: nodes, gpus, devices, volume, download, operator, servers, graph,
    scheduling, image, start, registration, model, transfer or answer."""
    about: str
    """The part that is wrong: `node NAME`, `pod NAME`, `claim NAME`, `operator`, `model`."""
    what: str
    """What is wrong, as a sentence."""
    since: str | None = None
    """Time of the change, by the cluster's clock (RFC 3339); null where nobody wrote it down."""
    evidence: tuple[str, ...] = ()
    """The words of Kubernetes, a log or an answer."""
    setting: str = ""
    """The setting that it belongs to; empty where it is none's."""
    fix: str = ""
    """What helps, as a sentence; empty where the command is all."""
    command: str = ""
    """The command that shows or mends it."""
    page: str = ""
    """The page of docs/runbook, without its ending."""

    @field_serializer("stage")
    def _stage_name(self, stage: Stage) -> str:
        return stage.name.lower()


class KvProof(Document):
    """What logs and metrics prove of the KV cache's way from prefill to decode."""

    decided: str
    """The transport that the stack decided: nvlink, mnnvl, rdma, efa or tcp; empty where nobody decided."""
    verdict: Literal["proven", "contradicted", "not-proven", "does-not-apply"]
    found: str
    """Why, as a sentence."""
    evidence: tuple[str, ...] = ()
    """Lines of the workers' logs."""


class Diagnosis(Document):
    """What is wrong with a deployment that runs, and why."""

    target: str
    """`stack NAME`, or `graph NAMESPACE/NAME`."""
    healthy: bool
    answered_seconds: float | None
    """How long one short completion took; null where none came."""
    mock_engine: bool | None
    """Whether a mock engine serves; null where nobody can tell."""
    causes: tuple[Finding, ...]
    """What explains the rest, the lowest part first; what a part below explains is none."""
    symptoms: tuple[Finding, ...]
    """What follows from the causes."""
    notes: tuple[str, ...]
    """What is over, passes by itself, or keeps only the next pod from starting, as sentences."""
    unseen: tuple[str, ...]
    """What the cluster does not say, and why."""
    kv_path: KvProof
    seconds: float

    def headline(self) -> str:
        """Return the answer in one line."""
        if self.causes:
            return f"{self.target} is sick: {self.causes[0].what}"
        mock = " from a mock engine" if self.mock_engine else ""
        said = f"it answered{mock} in {self.answered_seconds or 0:.1f} s"
        return "; ".join([f"{self.target} is healthy: {said}", *self.notes[:1]])


Needs = Mapping[str, frozenset[str]]
"""Part -> the parts that it cannot do without."""


class Signature(BaseModel):
    """One fault, as it is known by its words."""

    model_config = ConfigDict(frozen=True)

    sign: re.Pattern[str]
    stage: Annotated[Stage, BeforeValidator(lambda name: Stage[name.upper()])]
    means: str
    """What it means, as the end of a sentence about a pod."""
    fix: str
    fix_of_others: str = ""
    """The same where no stack of this project made the graph; empty: `fix` is for everybody."""
    setting: str
    page: str
    """The page of docs/runbook, without its ending."""

    def advice(self, stack: str | None) -> dict[str, Any]:
        """Return what a finding takes from it; None is a graph that others deployed."""
        of_others = "" if stack else self.fix_of_others
        return {
            "stage": self.stage,
            "setting": self.setting,
            "fix": of_others or self.fix,
            "page": "graph-never-ready" if of_others else self.page,
        }


def signature_of(text: str) -> Signature | None:
    """Return the fault whose words are in the text; None where nobody knows them."""
    return next((each for each in signatures() if each.sign.search(text)), None)


def last_signed(lines: Iterable[str], above: Stage) -> tuple[Signature, str] | None:
    """Return the last line of a log with the words of a fault of this stage or a later one, and the fault.

    A pod that is Ready has left the stages before behind, whatever its log says of them.
    """
    for line in reversed(list(lines)):
        if (found := signature_of(line)) and found.stage >= above:
            return found, " ".join(line.split())
    return None


@cache
def signatures() -> tuple[Signature, ...]:
    """Return all of them, in the order in which they are tried (signatures.yaml)."""
    text = Path(__file__).with_name("signatures.yaml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[Signature, ...]).validate_python(yaml.safe_load(text))
