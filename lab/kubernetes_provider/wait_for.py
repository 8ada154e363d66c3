"""pulumi.com/waitFor: a person's own condition for "ready", on any kind.

`jsonpath={path}[=value]`, `condition=Type[=Status]`, or a JSON array of these, all of which must hold.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from lab.kubernetes_provider.jsonpath import JsonPath, JsonPathError
from lab.kubernetes_provider.waiting import READY, Readiness, waiting


class WaitForError(ValueError):
    """The annotation cannot be read."""


@dataclass(frozen=True)
class ConditionCheck:
    """A condition of `.status.conditions`, compared without regard to case, as kubectl wait does."""

    type: str
    status: str

    def __call__(self, live: dict[str, Any]) -> Readiness:
        """Whether it holds for the object.

        What the controller says beside the condition is told nowhere (pulumi-kubernetes
        provider/pkg/await/condition/kubectl.go).
        """
        conditions = (live.get("status") or {}).get("conditions")
        if conditions is None:
            return waiting("Has no .status.conditions")
        for condition in conditions:
            if str(condition.get("type", "")).lower() != self.type.lower():
                continue
            expected, observed = _generations(live, condition)
            if observed < expected:
                return waiting(f"Generation {observed} is less than expected {expected}")
            found = str(condition.get("status", ""))
            if found.lower() == self.status.lower():
                return READY
            return waiting(f"Resource has condition {self.type}={found} (want {self.status})")
        return waiting("")


@dataclass(frozen=True)
class JsonPathCheck:
    """One scalar at a path: any, or a given one compared as text."""

    path: JsonPath
    value: str | None

    def __call__(self, live: dict[str, Any]) -> Readiness:
        """Whether it holds for the object."""
        expected, observed = _generations(live, {})
        if observed < expected:
            return waiting("")
        found = self.path.find(live)
        wanted = self.path.text if self.value is None else f"{self.path.text}={self.value}"
        if not found:
            return waiting(f"Waiting for {wanted}")
        if len(found) > 1:
            return Readiness(
                ready=False, reasons=(f"{self.path.text} matches more than one value",), failed=True
            )
        if self.value is None:
            return READY
        if isinstance(found[0], dict | list):
            return Readiness(
                ready=False, reasons=(f"{self.path.text} is not a primitive value",), failed=True
            )
        text = _as_text(found[0])
        return READY if text == self.value else waiting(f'Waiting for {wanted} (found "{text}")')


Check = ConditionCheck | JsonPathCheck


def parse(text: str) -> list[Check]:
    """All conditions of the annotation. Raises WaitForError."""
    stripped = text.strip()
    if not stripped.startswith("["):
        return [_parse_one(stripped)]
    try:
        entries = json.loads(stripped)
    except ValueError as error:
        raise WaitForError(
            f"pulumi.com/waitFor must be a string or a JSON array of strings: {error}"
        ) from error
    if not entries or not all(isinstance(entry, str) for entry in entries):
        raise WaitForError(
            "pulumi.com/waitFor must be a string or a JSON array of strings, with at least one entry"
        )
    return [_parse_one(entry) for entry in entries]


def check_all(checks: list[Check], live: dict[str, Any]) -> Readiness:
    """Ready when all are; otherwise what the first ones still miss, or what can never hold."""
    outcomes = [check(live) for check in checks]
    unmet = [outcome for outcome in outcomes if not outcome.ready]
    if not unmet:
        return READY
    reasons = tuple(reason for outcome in unmet for reason in outcome.reasons)
    failed = any(outcome.failed for outcome in unmet)
    return Readiness(ready=False, reasons=reasons, failed=failed, status=unmet[0].status)


def _parse_one(text: str) -> Check:
    kind, separator, rest = text.partition("=")
    if kind == "condition" and separator and rest:
        name, _, status = rest.partition("=")
        return ConditionCheck(name, status or "True")
    if kind == "jsonpath" and separator and rest:
        path, value = _split_path(rest)
        try:
            return JsonPathCheck(JsonPath.parse(path), value)
        except JsonPathError as error:
            raise WaitForError(str(error)) from error
    raise WaitForError(f"pulumi.com/waitFor: {text!r} is neither jsonpath=... nor condition=...")


def _split_path(text: str) -> tuple[str, str | None]:
    """Path and value at the first "=" outside quotes, brackets and the operators of a filter."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character in "[{(") - (character in "]})")
        if character == "=" and depth == 0:
            return text[:position], text[position + 1 :].strip().strip("\"'")
    return text, None


def _generations(live: dict[str, Any], condition: dict[str, Any]) -> tuple[int, int]:
    """The object's generation and the one that was observed; alike where either is not told."""
    expected = live["metadata"].get("generation")
    observed = condition.get("observedGeneration", (live.get("status") or {}).get("observedGeneration"))
    return (0, 0) if expected is None or observed is None else (expected, observed)


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
