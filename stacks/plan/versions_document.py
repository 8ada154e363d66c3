"""docs/versions.md, the page of the platform's lines, from the tables that the plan decides by.

To bring it up to date: `python -m stacks.plan.versions_document`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from engines.registry import COMMANDS
from engines.release import Sourced
from recipes.load import load_recipe, recipe_names
from stacks.plan.versions import PLATFORM_LINES, PLATFORM_RELEASES, PlatformLine

DOCUMENT = Path(__file__).parents[2] / "docs" / "versions.md"

_INTRODUCTION = """\
# Versions of the Dynamo platform

<!-- Written by `python -m stacks.plan.versions_document`; change stacks/plan/versions.py,
engines/runtime_lines.py or the recipes instead. -->

`platform.version` names one release of each line that this project knows: {releases}. Chart, operator, the
tag of every image (`runtime.version`, `runtime.otherVersions`) and the words of options follow from it. A
recipe is refused on a line that its `runtime.platformLines` does not name; a new stack begins on the newest
([why](adr/0030-new-stacks-begin-on-the-newest-line.md)).

A stack that runs cannot change its line: `diff`, preview and `up` refuse the step, and
[a second stack](upgrade.md#a-second-stack) takes the place of the first
([why](adr/0029-no-release-is-left-out.md)). NATS stays on every line: pods are told `DYN_EVENT_PLANE=nats`
where they would use ZeroMQ by default.

A line stands here once its operator was run with this project's graphs and what it made is recorded. Of 1.6
neither operator nor runtime was run here.

## What differs

*measured*: the component was run, without a GPU; *read*: its files, packages or pages say so; *inferred*: its
neighbours do. Numbers are those of the [sources](#sources).
"""

_Name = TypeVar("_Name", bound=str)
_Column = Callable[[PlatformLine], tuple[str, Sourced[object] | None]]
"""What stands in a cell, and the fact behind it; None for words of options, which have one source."""


def versions_document() -> str:
    """Return the page as Markdown."""
    lines = list(PLATFORM_LINES.values())
    names = [f"{name} ({version})" for name, version in zip(PLATFORM_LINES, PLATFORM_RELEASES, strict=True)]
    sources = _sources(lines)
    return "\n".join(
        [
            _INTRODUCTION.format(releases=", ".join(PLATFORM_RELEASES)),
            f"| | {' | '.join(names)} |",
            f"|---|{'---|' * len(names)}",
            *(_row(title, column, lines, sources) for title, column in _COLUMNS.items()),
            "",
            "## Options that changed",
            "",
            "Against the line before in this table.",
            "",
            "| line | change | source |",
            "|---|---|---|",
            *_option_changes(sources),
            "",
            "## Known defects",
            "",
            "| line | what | what to do | source |",
            "|---|---|---|---|",
            *_defects(sources),
            "",
            "## Recipes",
            "",
            f"| recipe | {' | '.join(PLATFORM_LINES)} | for a new stack |",
            f"|---|{'---|' * (len(names) + 1)}",
            *_recipes(),
            "",
            "## Sources",
            "",
            "Words of options without a number: command_options.py, flags.py, engine.py below engines/.",
            "",
            *(f"{number}. {source}" for number, source in enumerate(sources, 1)),
            "",
        ]
    )


def _plain(fact: Callable[[PlatformLine], Sourced[str]]) -> _Column:
    return lambda line: (fact(line).value, fact(line))


def _by_name(fact: Callable[[PlatformLine], Sourced[Mapping[_Name, str]]]) -> _Column:
    return lambda line: (
        ", ".join(f"{name} {value}" for name, value in fact(line).value.items()),
        fact(line),
    )


def _modes(command: str) -> _Column:
    return lambda line: (", ".join(line.runtime.disaggregation_modes(command)), None)


_COLUMNS: Mapping[str, _Column] = MappingProxyType(
    {
        "tag of the runtime images": _plain(lambda line: line.runtime.version),
        "engines in them": _by_name(lambda line: line.runtime.engines),
        "API versions of graphs": lambda line: (", ".join(line.graph_apis.value), line.graph_apis),
        "stored as": _plain(lambda line: line.stored_graph_api),
        "definitions come from": _plain(lambda line: line.definitions_come_from),
        "definitions": lambda line: (
            str(len(line.custom_resource_definitions.value)),
            line.custom_resource_definitions,
        ),
        "the chart brings NATS by default": lambda line: (
            "yes" if line.bundles_nats.value else "no",
            line.bundles_nats,
        ),
        "event plane by default": _plain(lambda line: line.runtime.event_plane),
        "request planes": lambda line: (", ".join(line.runtime.request_planes), None),
        **{
            f"`--disaggregation-mode` of {command}": _modes(command)
            for command, words in COMMANDS.items()
            if words.disaggregation_modes
        },
        "workers register as": _by_name(lambda line: line.runtime.components),
    }
)
"""Title of a row -> what a line has there."""


def _row(title: str, column: _Column, lines: list[PlatformLine], sources: Sequence[str]) -> str:
    cells: list[str] = []
    for line in lines:
        text, fact = column(line)
        cells.append(f"{text} ({_known(fact.evidence, fact.source, sources) if fact else '*read*'})")
    return f"| {title} | {' | '.join(cells)} |"


def _known(evidence: str, source: str, sources: Sequence[str]) -> str:
    return f"*{evidence}*, {sources.index(source) + 1}"


def _option_changes(sources: Sequence[str]) -> Iterator[str]:
    for name, line in PLATFORM_LINES.items():
        for change in line.runtime.option_changes():
            yield f"| {name} | {change.value} | {_known(change.evidence, change.source, sources)} |"


def _defects(sources: Sequence[str]) -> Iterator[str]:
    for name, line in PLATFORM_LINES.items():
        for defect in line.all_defects():
            known = _known(defect.evidence, defect.source, sources)
            yield f"| {name} | {defect.what} | {defect.action} | {known} |"


def _recipes() -> Iterator[str]:
    for name in recipe_names():
        runtime = load_recipe(name).runtime
        if not runtime.platform_lines:
            yield f"| {name} | {' | '.join('no platform' for _ in PLATFORM_LINES)} | |"
            continue
        tags = (
            runtime.version_on(line) if line in runtime.platform_lines else "refused"
            for line in PLATFORM_LINES
        )
        yield f"| {name} | {' | '.join(tags)} | {runtime.line_of_new_stacks} |"


def _sources(lines: Sequence[PlatformLine]) -> tuple[str, ...]:
    """Return each source once, in the order of the page."""
    cells = (column(line)[1] for column in _COLUMNS.values() for line in lines)
    changes = (change.source for line in lines for change in line.runtime.option_changes())
    defects = (defect.source for line in lines for defect in line.all_defects())
    return tuple(dict.fromkeys((*(fact.source for fact in cells if fact), *changes, *defects)))


def main() -> None:
    """Write the page."""
    DOCUMENT.write_text(versions_document(), encoding="utf-8")


if __name__ == "__main__":
    main()
