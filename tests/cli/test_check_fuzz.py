"""`check` on real manifests that chance has spoilt, the same way every time: no rule breaks."""

import json
import random
from pathlib import Path
from typing import Any

import yaml

from tests.cli.checked import written
from tests.cli.command import ROOT, Command

RULES = ROOT / "tests" / "rules"
TEXTS = [
    file.read_text(encoding="utf-8")
    for file in (
        *sorted((RULES / "published").glob("trtllm-*.yaml")),
        RULES / "bases" / "trtllm-serve.yaml",
        RULES / "bases" / "vllm-serve.yaml",
    )
]
SWAPS = 10


def test_a_value_of_another_type_at_any_place_breaks_no_rule(command: Command, tmp_path: Path) -> None:
    chance = random.Random(17)  # noqa: S311 - no secret
    for text in TEXTS * SWAPS:
        documents = [each for each in yaml.load_all(text, Loader=yaml.CSafeLoader) if each]
        place = _swap(chance, documents)
        file = written(tmp_path, yaml.dump_all(documents, Dumper=yaml.CSafeDumper))
        answer = command("check", "--json", "--file", file)
        assert answer.code in {0, 1, 2}, place
        assert answer.code == 2 or json.loads(answer.out)["broken"] == [], place


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
