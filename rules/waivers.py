"""Waivers: rules that a stack breaks on purpose, for a time."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import UNKNOWN, Resource, ResourceGraph, Value
from resource_graph.spelling import most_alike
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, Waiver, advised, failed, undecided
from rules.retired import successor

RULE_ID = "waiver-is-valid"
"""The rule about waivers, which no waiver silences."""
_LONGEST = dt.timedelta(days=366)

_INPUT = "waivers"
_FIELDS = ("rule", "reason", "expires")


def active_waivers(graph: ResourceGraph, today: dt.date) -> Mapping[str, Waiver]:
    """Rule id -> the waiver that holds on that day; of several the one that holds longest.

    A waiver counts wherever in the program its component stands: it is the stack's, not one object's.
    """
    holding: dict[str, Waiver] = {}
    for _, value in _written(graph):
        waiver = _read(value)
        if not isinstance(waiver, Waiver) or waiver.expires < today:
            continue
        if waiver.rule not in holding or holding[waiver.rule].expires < waiver.expires:
            holding[waiver.rule] = waiver
    return holding


def waiver_rule(known_rules: Sequence[str], today: dt.date) -> Rule:
    """The rule that judges the waivers themselves, and cannot be waived."""

    def check(graph: ResourceGraph) -> Iterator[Observation]:
        # Several components can hand on the waivers of one stack: each is judged once.
        seen: list[Value] = []
        for resource, value in _written(graph):
            if value not in seen:
                seen.append(value)
                yield from _judge(resource, value, known_rules, today)

    return Rule(
        id=RULE_ID,
        title="Waiver names no rule, has expired, or lasts longer than a year",
        severity=Severity.MANDATORY,
        reason=(
            "A waiver that has expired or names no rule waives nothing, while a reader of the settings "
            "takes the exception for granted. One of ten years is no exception for a time: nobody will look "
            "at its reason again (advice)."
        ),
        source="the settings' own contract: waivers {rule, reason, expires}",
        lines=EVERY_RELEASE,
        fix=(
            "Renew or remove the waiver, or let it expire within a year; `dynamo-stack check` prints the ids "
            "of rules."
        ),
        check=check,
    )


def _judge(
    resource: Resource, value: Value, known_rules: Sequence[str], today: dt.date
) -> Iterator[Observation]:
    waiver = _read(value)
    if waiver is None:
        yield undecided(resource, "waivers", "a waiver's rule or date is known only after the update")
    elif isinstance(waiver, str):
        yield failed(resource, "waivers", waiver)
    elif (became := successor(waiver.rule)) is not None:
        yield failed(resource, f"waiver of {waiver.rule}", f"{waiver.rule} {became}")
    elif waiver.rule not in known_rules:
        near = most_alike(waiver.rule, known_rules, 0.0)
        said = f"no rule that can be waived has the id {waiver.rule}"
        meant = f"; did you mean {near}?" if near else ""
        yield failed(resource, f"waiver of {waiver.rule}", f"{said}{meant}")
    elif waiver.expires < today:
        said = f"expired on {waiver.expires.isoformat()} and waives nothing; renew or remove it"
        yield failed(resource, f"waiver of {waiver.rule}", said)
    elif waiver.expires > today + _LONGEST:
        said = f"holds until {waiver.expires.isoformat()}, longer than a year"
        yield advised(resource, f"waiver of {waiver.rule}", said)


def _written(graph: ResourceGraph) -> Iterator[tuple[Resource, Value]]:
    for resource in graph.components():
        value = resource.inputs.get(_INPUT)
        if isinstance(value, Sequence) and not isinstance(value, str):
            yield from ((resource, item) for item in value)
        elif value is not None:
            yield resource, value


def _read(value: Value) -> Waiver | str | None:
    """The waiver; a text that says what is wrong; None where the value is known only after the update."""
    if value is UNKNOWN:
        return None
    if not isinstance(value, Mapping):
        return "is no mapping with rule, reason and expires"
    fields: dict[str, str] = {}
    for key in _FIELDS:
        part = value.get(key)
        if part is UNKNOWN:
            return None
        if not isinstance(part, str) or not part:
            return f"a waiver needs a {key}, a text"
        fields[key] = part
    try:
        expires = dt.date.fromisoformat(fields["expires"])
    except ValueError:
        return f"expires is {fields['expires']!r}, not a date such as 2027-01-31"
    return Waiver(fields["rule"], fields["reason"], expires)
