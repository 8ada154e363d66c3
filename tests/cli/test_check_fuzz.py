"""`check` on files with a defect each: it names the defect; no traceback, no silent pass."""

import json
import random
import re
from pathlib import Path
from typing import Any

import yaml

from tests.cli.command import Command
from tests.cli.defects import NAMES, Defect, defect, load

DEFECTS = 120
SWAPS = 40


def judged(command: Command, found: Defect, folder: Path) -> str | None:
    """What is wrong with the answer; None where it is right."""
    file = folder / "deploy.yaml"
    file.write_text(found.content, encoding="utf-8")
    answer = command("check", "--json", "--file", file)
    said = answer.err if answer.code == 2 else _findings(answer.out)
    if answer.code != found.code:
        return f"{found.name}: exit {answer.code}, not {found.code}: {said[:500]}"
    if "Traceback" in said or not re.search(found.says, said):
        return f"{found.name}: nothing says {found.says!r}: {said[:2000]}"
    return None


def _findings(out: str) -> str:
    report = json.loads(out)
    broken = [f"BROKEN Traceback {item}" for item in report["broken"]]
    stops = [
        item for item in report["findings"] if (item["status"], item["severity"]) == ("failed", "mandatory")
    ]
    return "\n".join([*broken, *(f"{item['rule']} {item['subject']} {item['message']}" for item in stops)])


def test_every_defect_is_named_and_stops(command: Command, tmp_path: Path) -> None:
    wrong = [problem for seed in range(DEFECTS) if (problem := judged(command, defect(seed), tmp_path))]
    assert not wrong, "\n\n".join(wrong)


def test_a_value_of_another_type_at_any_place_breaks_no_rule(command: Command, tmp_path: Path) -> None:
    chance = random.Random(17)  # noqa: S311 - no secret
    file = tmp_path / "deploy.yaml"
    for name in NAMES * (SWAPS // len(NAMES)):
        documents = load(name)
        place = _swap(chance, documents)
        file.write_text(yaml.dump_all(documents, Dumper=yaml.CSafeDumper))
        answer = command("check", "--json", "--file", file)
        assert answer.code in {0, 1, 2}, f"{name}: {place}"
        if answer.code != 2:
            assert json.loads(answer.out)["broken"] == [], f"{name}: {place}"


def _swap(chance: random.Random, documents: list[dict[str, Any]]) -> str:
    """Put a value of another type at a place below a document's own keys."""
    parent: Any = chance.choice(documents)
    path: list[Any] = [parent["kind"]]
    key: Any = chance.choice([key for key in parent if key not in {"apiVersion", "kind"}])
    while isinstance(parent[key], dict | list) and parent[key] and chance.random() < 0.8:
        path.append(key)
        parent = parent[key]
        key = chance.choice(list(parent) if isinstance(parent, dict) else range(len(parent)))
    others = [7, -1, 1.5, True, None, "", "text", "9" * 30, [], {}, [1], [None], {"a": 1}, [[]], {"": [{}]}]
    parent[key] = chance.choice([other for other in others if type(other) is not type(parent[key])])
    return f"{'.'.join(map(str, [*path, key]))} = {parent[key]!r}"
