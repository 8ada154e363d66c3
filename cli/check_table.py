"""What `dynamo-stack check` found, on one screen."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath

from cli.documents.judged import CheckDocument, CheckedFinding
from cli.output import first_of, print_table, say
from resource_graph.printable import one_line
from rules.reading.shapes import grouped

_NAMED_PLACES = 4
_NAMED_LINES = 4
_NAMED_SUBJECTS = 12
_NAMED_KINDS = 40
_LONGEST_NAME = 120
_LONGEST_ERROR = 800
_WIDEST_PLACE = 44
"""The column of findings is longer, and needs the room more."""


def print_report(found: CheckDocument, *, knows_pools: bool) -> None:
    """Print what stops first, then what could not be told, then advice in a line each."""
    unknown = _kinds(found.not_judged)
    if not found.understood:
        # A person who reads no further must not take an empty list for a pass.
        knows = f"no rule and no schema knows {unknown or 'anything of it'}"
        say(f"{found.subject}: NOT JUDGED: {knows}\n")
    decided = [each for each in found.findings if each.status != "undecided" and not _is_advice(each)]
    decided.sort(key=lambda each: (each.status == "waived", each.severity != "mandatory"))
    _print_decided(found, decided)
    _print_undecided(found, knows_pools=knows_pools)
    _print_advice([each for each in found.findings if _is_advice(each)])
    say(f"{found.subject}: {_summary(found)}")
    end = "" if found.understood else "; nothing of it that runs was judged"
    say(f"read: {_kinds(found.read) or 'nothing'}{end}")
    if unknown:
        say(f"no rule and no schema knows it: {unknown}")


def _print_decided(found: CheckDocument, decided: Sequence[CheckedFinding]) -> None:
    if not decided and not found.broken:
        return
    rows = [
        (each.rule, "broken", "", f"the rule is broken: {one_line(each.error, _LONGEST_ERROR)}")
        for each in found.broken
    ]
    for findings in _shared(decided):
        first = findings[0]
        rows.append((first.rule, f"{first.status} ({first.severity})", _places(findings), _what(first)))
    print_table(("RULE", "RESULT", "WHERE", "WHAT"), rows, {"WHERE": _WIDEST_PLACE})
    say()
    reasons = {
        each.rule: f"{each.rule}: {each.reason}\n  fix: {each.fix}\n  source: {each.source}"
        for each in decided
        if each.status == "failed"
    }
    if reasons:
        say("\n".join(reasons.values()) + "\n")


def _print_undecided(found: CheckDocument, *, knows_pools: bool) -> None:
    undecided = [each for each in found.findings if each.status == "undecided"]
    if not undecided:
        return
    rows: list[tuple[str, str, str]] = []
    for findings in grouped((each.message, each) for each in undecided).values():
        ids = list(dict.fromkeys(each.rule for each in findings))
        count = f"{len(ids)} rule{'s' * (len(ids) > 1)}"
        rows.append((count, _places(findings), f"{findings[0].message}\n{', '.join(ids)}"))
    print_table(("UNDECIDED", "WHERE", "BECAUSE"), rows, {"WHERE": _WIDEST_PLACE})
    say()
    if not knows_pools:
        say("No pool is known here; name what it runs on: --pool p6e-gb200.36xlarge=2\n")


def _print_advice(advice: Sequence[CheckedFinding]) -> None:
    if not advice:
        return
    for findings in _shared(advice):
        where = ", ".join(_places(findings).splitlines())
        say(f"advice: {findings[0].rule}: {where}: {_what(findings[0])}")
    say("Reasons, fixes and sources of advice: docs/rules.md, or --json.\n")


def _is_advice(finding: CheckedFinding) -> bool:
    return finding.status == "failed" and finding.severity == "advisory"


def _shared(findings: Iterable[CheckedFinding]) -> Iterable[Sequence[CheckedFinding]]:
    """A finding that prefill and decode share is printed once."""
    return grouped(((each.rule, each.severity, each.urn, _what(each)), each) for each in findings).values()


def _summary(found: CheckDocument) -> str:
    statuses = [each.status for each in found.findings]
    advisory = sum(map(_is_advice, found.findings))
    counts = (
        f"{statuses.count('failed') - advisory} mandatory and {advisory} advisory failed, "
        f"{statuses.count('waived')} waived, {statuses.count('undecided')} undecided, "
        f"{len(found.broken)} broken, {len(found.not_evaluated)} not evaluated, by {len(found.rules)} rules"
    )
    if found.stops:
        return f"STOP: {counts}"
    return f"{'passed' if found.understood else 'NOT JUDGED'}: {counts}"


def _kinds(counted: Mapping[str, int]) -> str:
    named = [f"{count} {one_line(kind, _LONGEST_NAME)}" for kind, count in counted.items()]
    return ", ".join(first_of(named, _NAMED_KINDS))


def _what(finding: CheckedFinding) -> str:
    message = finding.message
    for each in finding.settings:
        if each.line is not None:
            message = message.replace(each.key, f"{each.key}, {each.file}:{each.line}", 1)
    return message if finding.waiver is None else f"{message}\n{finding.waiver}"


def _places(findings: Sequence[CheckedFinding]) -> str:
    places: list[str] = []
    for of_one in grouped((finding.urn, finding) for finding in findings).values():
        first = of_one[0]
        others = dict.fromkeys(each.subject for each in of_one if each.subject != first.resource)
        parts = ", ".join(first_of([*others], _NAMED_SUBJECTS))
        name = one_line(first.resource, _LONGEST_NAME)
        where = f"{name} / {parts}" if parts else name
        if first.file is not None:
            lines = sorted({each.line for each in of_one if each.line is not None})
            shown = ", ".join(first_of([*map(str, lines)], _NAMED_LINES))
            # The folder stands in the command line; here it would push the findings aside.
            where += f"\n{PurePath(first.file).name}:{shown} (document {first.document})"
        places.append(where)
    return "\n".join(first_of(places, _NAMED_PLACES))
