"""Asks the engine what it would do or finds, and reads its events as plain data.

Source: pulumi/pulumi sdk/go/common/apitype/events.go.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from comparison.recording import RecordedFinding, RecordedNotice
from operations.commands import Printed, PulumiCommand
from resource_graph import Resource
from resource_graph.engine_state import EngineRecord, read_record
from resource_graph.input_text import InputError
from resource_graph.urns import urn_name
from resource_graph.values import Path

# The engine marks colours in messages so, also where none is wanted.
_COLOUR = re.compile(r"<\{%[^%]*%\}>")
# Of a path as the engine writes it: spec.containers[0].image, metadata.labels["a.b/c"].
_PART = re.compile(r'\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\.?([^.\[\]]+)')


# Without it a command that changes nothing prints a digest, which drops what policies say
# (pulumi/pulumi pkg/backend/display). The Automation API would select the stack for the person's next
# `pulumi up` too.
_EACH_EVENT = {"PULUMI_ENABLE_STREAMING_JSON_PREVIEW": "true"}


@dataclass(frozen=True, slots=True)
class EngineStep:
    """One step that the engine would take, or one difference that a refresh finds."""

    operation: str
    """The engine's word, such as update or create-replacement."""
    urn: str
    resource: Resource
    """After the step; of one that goes, before it."""
    before: EngineRecord | None
    after: EngineRecord | None
    differences: Mapping[Path, str]
    """Each property that differs -> how, such as add or update-replace; in the order of their paths."""
    keys: tuple[str, ...]
    """Properties that cause a replacement."""


@dataclass(frozen=True, slots=True)
class Events:
    """All that matters of one preview."""

    steps: tuple[EngineStep, ...] = ()
    findings: tuple[RecordedFinding, ...] = ()
    """Of policy packs."""
    notices: tuple[RecordedNotice, ...] = ()
    """What the program, or a provider, says beside its errors."""
    errors: tuple[tuple[str | None, str], ...] = ()
    """URN, None where it is about the whole run, and message."""


def ask_engine(pulumi: PulumiCommand, *command: str) -> tuple[Events, Printed]:
    """Run a command that changes nothing; return its events and how it ended.

    Raises:
        InputError: it does not print what the engine writes.

    """
    answer = pulumi.capture(*command, "--json", variables=_EACH_EVENT)
    return read_events(answer.stdout.splitlines()), answer


def read_events(lines: Iterable[str]) -> Events:
    """Read events, one a line; events of other kinds are left out.

    Raises:
        InputError: a line is not what the engine writes.

    """
    steps: list[EngineStep] = []
    findings: list[RecordedFinding] = []
    notices: list[RecordedNotice] = []
    errors: list[tuple[str | None, str]] = []
    refreshed: set[str] = set()
    for number, event in _events(lines):
        where = f"event {number}"
        match event:
            case {"resourcePreEvent": {"metadata": {"op": "refresh", "urn": str(urn)}}}:
                # What it finds comes afterwards.
                refreshed.add(urn)
            case {"resourcePreEvent": {"metadata": {**metadata}}}:
                steps.append(_step(metadata, where))
            case {"resOutputsEvent": {"metadata": {"urn": str(urn), **metadata}}} if urn in refreshed:
                steps.append(_step({"urn": urn, **metadata}, where))
            case {"diagnosticEvent": {"severity": "error", **content}}:
                errors.append((content.get("urn") or None, _message(content)))
            case {"diagnosticEvent": {"severity": "info" | "warning" as severity, **content}}:
                notices.append(RecordedNotice(_message(content), severity == "warning"))
            case {"policyEvent": {**content}}:
                urn = content.get("resourceUrn")
                finding = RecordedFinding(
                    rule=str(content.get("policyName")),
                    severity="mandatory" if content.get("enforcementLevel") == "mandatory" else "advisory",
                    status="failed",
                    resource=urn_name(urn) if urn else "",
                    subject="",
                    message=_message(content),
                    fix="",
                )
                findings.append(finding)
            case _:
                pass
    said = tuple(notice for notice in notices if notice.text)
    return Events(tuple(steps), tuple(findings), said, tuple(errors))


def _events(lines: Iterable[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            event = json.loads(line)
        except ValueError as error:
            raise InputError(f"event {number} is not JSON") from error
        if isinstance(event, Mapping):
            yield number, event


def _step(metadata: Mapping[str, Any], where: str) -> EngineStep:
    old, new = metadata.get("old"), metadata.get("new")
    before = read_record(old, f"{where}.old") if old else None
    after = read_record(new, f"{where}.new") if new else None
    known = after or before
    if known is None:
        raise InputError(f"{where} is a step without a resource")
    detailed = metadata.get("detailedDiff") or {}
    kinds: dict[str, str] = {path: str(each["diffKind"]) for path, each in detailed.items()}
    if not kinds:
        # A provider without details names the properties alone.
        kinds = {str(key): "update" for key in metadata.get("diffs") or ()}
    return EngineStep(
        operation=str(metadata.get("op")),
        urn=str(metadata.get("urn")),
        resource=known.resource,
        before=before,
        after=after,
        differences={_path(text): kind for text, kind in sorted(kinds.items())},
        keys=tuple(metadata.get("keys") or ()),
    )


def _path(text: str) -> Path:
    return tuple(
        int(index) if index else (quoted or key).replace('\\"', '"')
        for quoted, index, key in _PART.findall(text)
    )


def _message(content: Mapping[str, Any]) -> str:
    return _COLOUR.sub("", str(content.get("message") or "")).strip()
