"""docs/benchmark-files.md: the keys of both files, the shapes and the published figures.

Written from the models and the data, so that the page cannot say anything else than what is read and written.
To bring it up to date: `python -m operations.benchmark.document`.
"""

import types
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from operations.benchmark.published import published_figures
from operations.benchmark.result import BenchmarkResult, Measurement, Percentiles
from operations.benchmark.run_folder import RESULT_FILE
from operations.benchmark.shapes import PUBLISHED_SHAPES
from operations.benchmark.thresholds import AtLeast, AtMost, Threshold, Thresholds
from stacks.settings.document import field_docstrings, summary

DOCUMENT = Path(__file__).parents[2] / "docs" / "benchmark-files.md"

_PLAIN: dict[Any, str] = {str: "text", int: "a whole number", float: "a number"}
_OR_NULL = ", or null"
_RESULT: tuple[tuple[str, type[BaseModel]], ...] = (
    ("", BenchmarkResult),
    ("measurements[]", Measurement),
    ("measurements[].…Milliseconds", Percentiles),
)
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
        "One for each run, in a folder of its own. Units stand in the names of the keys.",
        *_sections(_RESULT),
        "",
        "## Thresholds",
        "",
        "A YAML file for `--assert`. Unknown keys are errors.",
        *_sections(_THRESHOLDS),
        "",
        "## Shapes",
        "",
        "Token counts that the model is published with; `--shape all` takes those that the engines take.",
        "",
        *_table(
            ("shape", "published with so many requests at a time", "source"),
            ((str(each.shape), str(each.concurrency), each.source) for each in PUBLISHED_SHAPES),
        ),
        "",
        "## Published figures",
        "",
        "Of gpt-oss-120b, output tokens a second. One with a shape stands beside a run of the same shape on",
        "the same GPU; the others compare with no run. None was measured by this project.",
        "",
        *_table(("published", "system", "shape", "per GPU", "per user", "note", "source"), _figures()),
    ]
    return "\n".join([*lines, ""])


def _sections(models: Iterable[tuple[str, type[BaseModel]]]) -> list[str]:
    lines: list[str] = []
    for path, model in models:
        heading = ["", f"### `{path}`"] if path else []
        lines += [*heading, "", summary(model), "", *_table(("key", "holds", "meaning"), _keys(model))]
    return lines


def _keys(model: type[BaseModel]) -> Iterable[Sequence[str]]:
    meanings = field_docstrings(model)
    for name, field in model.model_fields.items():
        yield f"`{field.alias or name}`", _holds(field), meanings.get(name, "")


def _holds(field: FieldInfo) -> str:
    words = _in_words(field.annotation)
    return words if field.is_required() else f"{words.removesuffix(_OR_NULL)}, or left out"


def _in_words(annotation: Any) -> str:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _in_words(get_args(annotation)[0])
    if origin is Literal:
        return " or ".join(f"`{word}`" for word in get_args(annotation))
    if origin in {Union, types.UnionType}:
        choices = [each for each in get_args(annotation) if each is not type(None)]
        return " or ".join(map(_in_words, choices)) + _or_null(annotation)
    if origin is tuple:
        return f"a list of {_plural(get_args(annotation)[0])}"
    return _PLAIN.get(annotation, "a mapping, below")


def _or_null(annotation: Any) -> str:
    return _OR_NULL if type(None) in get_args(annotation) else ""


def _plural(annotation: Any) -> str:
    return "words" if annotation is str else "mappings, below"


def _figures() -> Iterable[Sequence[str]]:
    for each in published_figures():
        user = each.output_tokens_per_second_per_user
        yield (
            each.date,
            each.system,
            each.shape or "",
            f"{each.output_tokens_per_second_per_gpu:,.0f}",
            "" if user is None else f"{user:g}",
            each.note or "",
            each.source,
        )


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [headers, ["---"] * len(headers), *rows]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines]


def main() -> None:
    """Write the page."""
    DOCUMENT.write_text(benchmark_files_document(), encoding="utf-8")


if __name__ == "__main__":
    main()
