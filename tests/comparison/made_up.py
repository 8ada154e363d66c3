"""Sides of a comparison that no program made: as small as a test needs them."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from comparison.changes import Change, Effect, FieldChange, Operation, ResourceChange
from comparison.facts import facts_of
from comparison.recording import (
    RecordedFinding,
    RecordedPool,
    Side,
    StackRecording,
    UnreadStack,
)
from comparison.stack_comparison import Comparison, StackComparison, UncomparedStack
from comparison.verdict_lines import Quoted, Sentence
from rules.model import Waiver

BASE, HEAD = "0" * 40, "a" * 40


def replicas(title: str = "Deployment gpt-oss/nats", **fields: Any) -> ResourceChange:
    """An update of one field."""
    field = FieldChange(path=("spec", "replicas"), change=Change.CHANGED, before=2, after=4)
    return changed(title, Operation.UPDATE, field, **fields)


def changed(title: str, operation: Operation, *fields: FieldChange, **others: Any) -> ResourceChange:
    kind, _, name = title.partition(" ")
    urn = f"urn:pulumi:dev::dynamo-stack::kubernetes:core/v1:{kind}::{name}"
    values: dict[str, Any] = {"type": f"kubernetes:core/v1:{kind}"} | others
    return ResourceChange(urn=urn, title=title, operation=operation, fields=fields, **values)


def refused_size() -> ResourceChange:
    field = FieldChange(
        path=("spec", "volumeMode"), change=Change.CHANGED, before="a", after="b", effect=Effect.REFUSED
    )
    return changed("PersistentVolumeClaim gpt-oss/cache", Operation.UPDATE, field, is_stateful=True)


def pool(name: str = "b200", **others: Any) -> RecordedPool:
    """One machine with eight GPUs, five of which are used."""
    values: dict[str, Any] = {
        "machine": "p6-b200.48xlarge",
        "accelerator": "B200",
        "nodes": 1,
        "gpus": 8,
        "used_gpus": 5,
        "usd_per_gpu_hour": 10.0,
        "price_source": "the price list",
        "price_date": "2026-07-01",
        "block": None,
    }
    return RecordedPool(name=name, **values | others)


def finding(rule: str = "gpus-fit", **others: Any) -> RecordedFinding:
    values: dict[str, Any] = {
        "severity": "mandatory",
        "status": "failed",
        "resource": "graph",
        "subject": "decode",
        "message": "asks for 9 GPUs of 8",
        "fix": "Ask for fewer.",
    }
    return RecordedFinding(rule=rule, **values | others)


def waiver(expires: str, rule: str = "gpus-fit") -> Waiver:
    return Waiver(rule, "a trial", dt.date.fromisoformat(expires))


def recording(name: str = "dev", **others: Any) -> StackRecording:
    return StackRecording(name=name, resources=(), **others)


def side(*stacks: StackRecording | UnreadStack, label: str = "main", commit: str | None = BASE) -> Side:
    return Side(label, commit, {each.name: each for each in stacks})


def comparison(stacks: Iterable[Any] = (), **others: Any) -> Comparison:
    return Comparison(base=side(), head=side(label="topic", commit=HEAD), stacks=tuple(stacks), **others)


def stack(*resources: ResourceChange, name: str = "dev", **others: Any) -> StackComparison:
    return StackComparison(name=name, resources=resources, **others)


def facts(of: StackComparison | UncomparedStack) -> dict[str, list[str]]:
    """Label -> what is said of a stack, as plain text."""
    return {label: [plain(sentence) for sentence in said] for label, said in facts_of(of).items()}


def plain(sentence: Sentence) -> str:
    """A sentence with the text that it quotes."""
    return "".join(each.text if isinstance(each, Quoted) else each for each in sentence)
