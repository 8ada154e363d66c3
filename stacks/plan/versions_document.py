"""docs/versions.md, the page of the platform's lines, from the tables that the plan decides by.

To bring it up to date: `python -m stacks.plan.versions_document`.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from engines.registry import COMMANDS
from engines.release import Sourced
from recipes.load import load_recipe, recipe_names
from stacks.plan.versions import PLATFORM_LINES, PLATFORM_RELEASES, PlatformLine
from stacks.settings.model_tables import table

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

_Cell = tuple[str, Sourced[object] | None]
"""What stands in a cell, and the fact behind it; None for words of options, which have one source."""


_Sources = dict[str, int]
"""Source -> its number, in the order of the page."""


def versions_document() -> str:
    """Return the page as Markdown."""
    lines = list(PLATFORM_LINES.values())
    sources: _Sources = {}
    body = [
        *table(["", *(f"{line.line} ({line.version})" for line in lines)], _facts(lines, sources)),
        "",
        "## Options that changed",
        "",
        "Against the line before in this table.",
        "",
        *table(["line", "change", "source"], _option_changes(lines, sources)),
        "",
        "## Known defects",
        "",
        *table(["line", "what", "what to do", "source"], _defects(lines, sources)),
        "",
        "## Recipes",
        "",
        *table(["recipe", *PLATFORM_LINES, "for a new stack"], _recipes()),
    ]
    return "\n".join(
        [
            _INTRODUCTION.format(releases=", ".join(PLATFORM_RELEASES)),
            *body,
            "",
            "## Sources",
            "",
            "Words of options without a number: command_options.py, flags.py, engine.py below engines/.",
            "",
            *(f"{number}. {source}" for source, number in sources.items()),
            "",
        ]
    )


def _known(evidence: str, source: str, sources: _Sources) -> str:
    return f"*{evidence}*, {sources.setdefault(source, len(sources) + 1)}"


def _cells(line: PlatformLine) -> dict[str, _Cell]:
    """Return what a line has in each row of the first table."""
    runtime, definitions = line.runtime, line.custom_resource_definitions
    return {
        "tag of the runtime images": (runtime.version.value, runtime.version),
        "engines in them": (_listed(runtime.engines.value), runtime.engines),
        "definitions come from": (line.definitions_come_from.value, line.definitions_come_from),
        "definitions": (str(len(definitions.value)), definitions),
        "the chart brings NATS by default": ("yes" if line.bundles_nats.value else "no", line.bundles_nats),
        "event plane by default": (runtime.event_plane.value, runtime.event_plane),
        "request planes": (", ".join(runtime.request_planes), None),
        **{
            f"`--disaggregation-mode` of {command}": (", ".join(runtime.disaggregation_modes(command)), None)
            for command, words in COMMANDS.items()
            if words.disaggregation_modes
        },
        "workers register as": (_listed(runtime.components.value), runtime.components),
    }


def _listed(values: Mapping[Any, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _facts(lines: Sequence[PlatformLine], sources: _Sources) -> Iterator[list[str]]:
    cells = [_cells(line) for line in lines]
    for title in cells[0]:
        row = [title]
        for text, fact in (each[title] for each in cells):
            row.append(f"{text} ({_known(fact.evidence, fact.source, sources) if fact else '*read*'})")
        yield row


def _option_changes(lines: Sequence[PlatformLine], sources: _Sources) -> Iterator[list[str]]:
    for line in lines:
        for change in line.runtime.option_changes():
            yield [line.line, change.value, _known(change.evidence, change.source, sources)]


def _defects(lines: Sequence[PlatformLine], sources: _Sources) -> Iterator[list[str]]:
    for line in lines:
        for defect in line.all_defects():
            yield [line.line, defect.what, defect.action, _known(defect.evidence, defect.source, sources)]


def _recipes() -> Iterator[list[str]]:
    for name in recipe_names():
        runtime = load_recipe(name).runtime
        if not runtime.platform_lines:
            yield [name, *("no platform" for _ in PLATFORM_LINES), ""]
            continue
        lines = runtime.platform_lines
        tags = (runtime.version_on(line) if line in lines else "refused" for line in PLATFORM_LINES)
        yield [name, *tags, str(runtime.line_of_new_stacks)]


if __name__ == "__main__":
    DOCUMENT.write_text(versions_document(), encoding="utf-8")
