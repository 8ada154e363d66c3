"""The changes of tests/comparison/cases: a stack as it is shipped, and the same with one thing changed."""

from __future__ import annotations

import copy
import datetime as dt
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

from comparison.stack_comparison import StackComparison, compare_sides
from operations.revisions.own_folder import recorded_folder
from tests.cli.command import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from comparison.capacity import Gpus
    from comparison.recording import Side
    from comparison.stack_comparison import UncomparedStack

CASES = Path(__file__).parent / "cases"
SETTINGS = "dynamo-stack:settings"
RECIPES = "own-recipes"
# The day on which findings and waivers are judged; waivers of the cases end after it.
TODAY = dt.date(2026, 11, 24)

Parts: TypeAlias = tuple[dict[str, Any], ...]
_OLDER: dict[str, Side] = {}
"""Stack and what is done to its file -> its recording: most cases have the same older side."""


@dataclass(frozen=True)
class Case:
    """One change of one stack, and what the comparison has to say of it."""

    name: str
    stack: str
    before: dict[str, Any]
    """Of both sides: what the shipped file needs so that the change makes sense."""
    change: dict[str, Any]
    expect: dict[str, Any]

    @classmethod
    def read(cls, file: Path) -> Case:
        content = _read(file)
        before = content.get("before", {})
        return cls(file.stem, content["stack"], before, content["change"], content["expect"])

    @property
    def parts(self) -> tuple[Parts, Parts]:
        """What is done to the shipped file for the older side, and for the newer one."""
        return (self.before,), (self.before, self.change)

    def compared(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> StackComparison | UncomparedStack:
        """Compare both sides, each recorded as `dynamo-stack record` does, in this process."""
        [stack] = compare_sides(*self.sides(folder, monkeypatch)).stacks
        return stack

    def sides(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Side, Side]:
        """Record both sides."""
        before, after = self.parts
        key = repr((self.stack, before))
        if key not in _OLDER:
            _OLDER[key] = self._side(folder / "base", before, None, monkeypatch)
        return _OLDER[key], self._side(folder / "head", after, _OLDER[key], monkeypatch)

    def _side(self, folder: Path, parts: Parts, over: Side | None, monkeypatch: pytest.MonkeyPatch) -> Side:
        folder.mkdir()
        write_side(folder, self.stack, parts)
        monkeypatch.chdir(folder)
        return recorded_folder([], over, TODAY)


@cache
def all_cases() -> list[Case]:
    return [Case.read(file) for file in sorted(CASES.glob("*.yaml"))]


def seen(stack: StackComparison | UncomparedStack) -> dict[str, Any]:
    """What a case can expect, in the form in which its file says it."""
    if not isinstance(stack, StackComparison):
        return {"verdict": stack.verdict.value}
    operations: dict[str, list[str]] = {}
    effects: dict[str, list[str]] = {}
    for change in stack.resources:
        operations.setdefault(change.operation.value, []).append(change.title)
        for effect in sorted({field.effect.value for field in change.fields} - {"in place"}):
            effects.setdefault(effect, []).append(change.title)
    found = {
        "verdict": stack.verdict.value,
        "operations": {name: sorted(titles) for name, titles in operations.items()},
        "effects": {name: sorted(titles) for name, titles in effects.items()},
        "refused": [_setting(text) for text in stack.update.refused],
        "restartsWorkers": stack.update.restarts_workers,
        "interruption": stack.update.interruption,
        "gpus": _arrow(stack, lambda each: each.total),
        "usedGpus": _arrow(stack, lambda each: each.used),
        "newFindings": sorted({each.rule for each in stack.findings.new}),
        "waivedFindings": sorted({each.rule for each in stack.findings.waived}),
        "newWaivers": [each.rule for each in stack.waivers.new],
        "secrets": list(stack.secrets),
    }
    return {key: value for key, value in found.items() if value not in ({}, [], None, False)}


def _setting(refusal: str) -> str:
    """The setting that is refused: `Pulumi.dev.yaml: KEY = …` is how such a text begins."""
    return refusal.partition(": ")[2].partition(" = ")[0]


def _arrow(stack: StackComparison, of: Callable[[Gpus], int]) -> str | None:
    before, after = (sum(map(of, side.gpus)) for side in (stack.before, stack.after))
    return None if before == after else f"{before} -> {after}"


def write_side(directory: Path, stack: str, parts: Parts) -> None:
    """Write the project with the shipped stack, changed by each of the parts."""
    file = f"Pulumi.{stack}.yaml"
    document = _read(ROOT / file)
    # A later part may change what an earlier one has set, and the case keeps both.
    for part in copy.deepcopy(parts):
        for path, value in part.get("settings", {}).items():
            _set(document["config"][SETTINGS], path.split("."), value)
        document["config"] |= part.get("config", {})
        for recipe, values in part.get("recipe", {}).items():
            _write_recipe(directory / RECIPES, recipe, values)
    text = yaml.dump(document, Dumper=yaml.CSafeDumper, sort_keys=any("sorted" in part for part in parts))
    comments = "".join(f"# {part['comment']}\n" for part in parts if "comment" in part)
    (directory / file).write_text(comments + text, encoding="utf-8")
    (directory / "Pulumi.yaml").write_bytes((ROOT / "Pulumi.yaml").read_bytes())


def _write_recipe(folder: Path, name: str, values: dict[str, Any]) -> None:
    """Write a recipe of one's own: `from` of the catalogue, with other values of it or of its `model`."""
    source = ROOT / "recipes" / "catalogue" / f"{values['from']}.yaml"
    recipe = _read(source)
    # What was tried, was tried of the recipe as it is published.
    recipe |= {"name": name, "validatedOn": [], "evidence": []}
    if "model" in values:
        described = ROOT / "recipes" / "models" / f"{recipe['model']}.yaml"
        recipe["model"] = _read(described) | values["model"]
    for path, value in values.get("set", {}).items():
        _set(recipe, path.split("."), value)
    file = folder / f"{name}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.dump(recipe, Dumper=yaml.CSafeDumper, sort_keys=False), encoding="utf-8")


def _read(file: Path) -> Any:
    # In C this takes a tenth of the time, of each side of each case.
    return yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def _set(content: Any, path: list[str], value: Any) -> None:
    """Set a value by its path, whose numbers are positions; null takes it away."""
    *parents, last = path
    for part in parents:
        content = content[int(part)] if isinstance(content, list) else content.setdefault(part, {})
    if isinstance(content, list):
        content[int(last)] = value
    elif value is None:
        content.pop(last, None)
    else:
        content[last] = value
