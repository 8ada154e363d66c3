"""docs/versions.md, the page of the platform's lines, from the tables that the plan decides by.

To bring it up to date: `python -m stacks.plan.versions_document`.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from engines.registry import COMMANDS
from engines.sourced import Sourced
from recipes.load import load_recipe, recipe_names
from stacks.plan.versions import PLATFORM_LINES, PLATFORM_RELEASES, PlatformLine

DOCUMENT = Path(__file__).parents[2] / "docs" / "versions.md"

_INTRODUCTION = """\
# Versions of the Dynamo platform

<!-- Written by `python -m stacks.plan.versions_document`; change stacks/plan/versions.py,
engines/runtime_lines.py or the recipes instead. -->

`platform.version` names one release of each line that this project knows: {releases}. A recipe is refused
on a line that its `runtime.platformLines` does not name. Chart, operator, the tag of every image
(`runtime.version`, `runtime.otherVersions`) and the words of options follow from `platform.version`.

A new stack begins on the newest line that its recipe names, and `dynamo-stack size --to` writes it so
([why](adr/0030-new-stacks-begin-on-the-newest-line.md)). The stacks of this repository that were
made with 1.2.1 stay there: a stack that runs cannot change its line.

## Go to a later line

A stack that runs is not brought from 1.2 to 1.4: `diff`, preview and `up` refuse the step, and
[a second stack](upgrade.md#a-second-stack) takes the place of the first
([why](adr/0029-no-release-is-left-out.md)).

NATS stays where it is: its values are written out on every line, and pods are told `DYN_EVENT_PLANE=nats`
where they would use ZeroMQ by default.

## Why no later line

A line stands here once its operator has been run with the graphs of this project and what it made is
recorded. Of 1.6 is missing:

- Its operator, built and run with these graphs. The public fork (wxsms/dynamo) from which those of 1.2 and
  1.4 were built ends at 2a6da14 of 2026-08-21, before 1.6.0 of October (*read*); a build of the Go module
  alone was not tried.
- Its runtime behind the lab's pods. ai-dynamo 1.6.1 wants aisimulate 0.13.0, whose package downloads its
  wheel from NVIDIA's own index when it is built; without its dependencies it installs (*measured*).
- A runtime of 1.6.2 on PyPI, whose newest is 1.6.1, while images are of 1.6.2 (*read*).
- The move of stored graphs from v1alpha1 to v1beta1, since 1.5, seen on an API server.

## What differs

*measured*: the component was run, without a GPU; *read*: its files, packages or pages say so; *inferred*: its
neighbours do.
"""

_Name = TypeVar("_Name", bound=str)
_Column = Callable[[PlatformLine], tuple[str, Sourced[object] | None]]
"""What stands in a cell, and the fact behind it; None for words of options, which have one source."""


def versions_document() -> str:
    """Return the page as Markdown."""
    lines = list(PLATFORM_LINES.values())
    names = [f"{name} ({version})" for name, version in zip(PLATFORM_LINES, PLATFORM_RELEASES, strict=True)]
    return "\n".join(
        [
            _INTRODUCTION.format(releases=", ".join(PLATFORM_RELEASES)),
            f"| | {' | '.join(names)} |",
            f"|---|{'---|' * len(names)}",
            *(_row(title, column, lines) for title, column in _COLUMNS.items()),
            "",
            "## Options that changed",
            "",
            "Against the line before in this table.",
            "",
            "| line | change | known how | source |",
            "|---|---|---|---|",
            *_option_changes(),
            "",
            "## Known defects",
            "",
            "| line | what | what to do | known how | source |",
            "|---|---|---|---|---|",
            *_defects(),
            "",
            "## Recipes",
            "",
            f"| recipe | {' | '.join(PLATFORM_LINES)} | for a new stack |",
            f"|---|{'---|' * (len(names) + 1)}",
            *_recipes(),
            "",
            "## Where each fact is from",
            "",
            *_sources(),
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


def _row(title: str, column: _Column, lines: list[PlatformLine]) -> str:
    cells: list[str] = []
    for line in lines:
        text, fact = column(line)
        cells.append(f"{text} (*{fact.evidence if fact else 'read'}*)")
    return f"| {title} | {' | '.join(cells)} |"


def _option_changes() -> Iterator[str]:
    for name, line in PLATFORM_LINES.items():
        for change in line.runtime.option_changes():
            yield f"| {name} | {change.value} | {change.evidence} | {change.source} |"


def _defects() -> Iterator[str]:
    for name, line in PLATFORM_LINES.items():
        for defect in line.all_defects():
            yield f"| {name} | {defect.what} | {defect.action} | {defect.evidence} | {defect.source} |"


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


def _sources() -> Iterator[str]:
    facts: dict[str, list[str]] = {}
    for title, column in _COLUMNS.items():
        for name, line in PLATFORM_LINES.items():
            _, fact = column(line)
            if fact is not None:
                facts.setdefault(fact.source, []).append(f"{title} ({name})")
    yield from (f"- {', '.join(titles)}: {source}" for source, titles in facts.items())
    yield "- words of options: engines/command_options.py, command_words.py of each engine"


def main() -> None:
    """Write the page."""
    DOCUMENT.write_text(versions_document(), encoding="utf-8")


if __name__ == "__main__":
    main()
