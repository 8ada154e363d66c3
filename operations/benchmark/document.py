"""docs/benchmark-files.md: both files, the shapes and the published figures; and the schema of result.json.

Written from the models and the data, so that the page cannot say anything else than what is read and written.
To bring it up to date: `python -m operations.benchmark.document`.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import BaseModel

from operations.benchmark.measured_points import PublishedFigure, published_figures
from operations.benchmark.recording import RESULT_FILE
from operations.benchmark.result import BenchmarkResult
from operations.benchmark.shapes import PUBLISHED_SHAPES
from operations.benchmark.thresholds import AtLeast, AtMost, Threshold, Thresholds
from stacks.settings.model_tables import sections, table
from stacks.settings.schema import definitions_of

DOCUMENT = Path(__file__).parents[2] / "docs" / "benchmark-files.md"
SCHEMA = DOCUMENT.parent / "schemas" / "bench.schema.json"

_THRESHOLDS: tuple[tuple[str, type[BaseModel]], ...] = (
    ("", Thresholds),
    ("thresholds[]", Threshold),
    ("thresholds[].atLeast", AtLeast),
    ("thresholds[].atMost", AtMost),
)


def benchmark_files_document() -> str:
    """Return the page as Markdown."""
    lines = [
        "# The files of `dynamo-stack bench`",
        "",
        "<!-- Written by `python -m operations.benchmark.document`; change operations/benchmark instead. -->",
        "",
        "How they are made and used: [benchmark.md](benchmark.md).",
        "",
        f"## {RESULT_FILE}",
        "",
        "One for each run, in a folder of its own: what ran, and of each load its tokens, errors, throughput",
        "and percentiles. Units stand in the names of the keys, and",
        f"[the schema](schemas/{SCHEMA.name}) says what each means.",
        "",
        "## Thresholds",
        "",
        "A YAML file for `--assert`. Unknown keys are errors.",
        *sections(_THRESHOLDS, "###"),
        "",
        "## Shapes",
        "",
        "Token counts that the model is published with; `--shape all` takes those that the engines take.",
        "",
        *table(
            ("shape", "published with so many requests at a time", "source"),
            ((str(each.shape), str(each.concurrency), each.source) for each in PUBLISHED_SHAPES),
        ),
        "",
        "## Published figures",
        "",
        "Of gpt-oss-120b, output tokens a second and GPU. One with a shape stands beside a run of the same",
        "shape on the same GPU; the others compare with no run. None was measured by this project.",
        "",
        *table(("system", "per GPU", "published"), _figures()),
        "",
        *(f"{number}. {publication}" for number, publication in enumerate(_publications(), 1)),
    ]
    return "\n".join([*lines, ""])


def result_schema_text() -> str:
    """The schema of result.json."""
    definitions = definitions_of(BenchmarkResult)
    own = definitions.pop(BenchmarkResult.__name__)
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "dynamo-stack bench --json",
        **own,
        "$defs": dict(sorted(definitions.items())),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _figures() -> Iterable[Sequence[str]]:
    """A row for each system, with its figures."""
    publications = _publications()
    rows: dict[tuple[str, str], list[str]] = {}
    for each in published_figures():
        row = each.system, f"{each.date}, {publications.index(_publication(each)) + 1}"
        rows.setdefault(row, []).append(_figure(each))
    return ((system, "; ".join(figures), published) for (system, published), figures in rows.items())


def _figure(each: PublishedFigure) -> str:
    shape = f"{each.shape}: " if each.shape else ""
    user = each.output_tokens_per_second_per_user
    per_user = "" if user is None else f" ({user:g} per user)"
    return f"{shape}{each.output_tokens_per_second_per_gpu:,.0f}{per_user}"


def _publications() -> list[str]:
    return list(dict.fromkeys(map(_publication, published_figures())))


def _publication(each: PublishedFigure) -> str:
    return f"{each.source}: {each.note}" if each.note else each.source


def main() -> None:
    """Write the page and the schema."""
    DOCUMENT.write_text(benchmark_files_document(), encoding="utf-8")
    SCHEMA.write_text(result_schema_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
