"""`check` on real manifests that chance has spoilt, the same way every time: no traceback, no silent pass."""

import json
import random
import re
from collections.abc import Iterator
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
ROUNDS = 2
SWAPS = 10

Spoilt = tuple[str, str]
"""A text, and a pattern of what must be said of it."""


def _cut_off(chance: random.Random, text: str) -> Spoilt:
    return text[: chance.randrange(len(text))] + '\n"cut off: [', r"line \d+"


def _deleted_line(chance: random.Random, text: str) -> Spoilt:
    line = chance.choice(list(_lines(text, "apiVersion", "kind")))
    return text[: line.start()] + text[line.end() :], rf"line \d+.*{line[1]}"


def _doubled_line(chance: random.Random, text: str) -> Spoilt:
    line = chance.choice(list(_lines(text, "apiVersion", "kind", "metadata")))
    return text[: line.end()] + f"{line[1]}: {{}}\n" + text[line.start() :], rf"line \d+.*{line[1]}"


def _foreign_line(chance: random.Random, text: str) -> Spoilt:
    line = chance.choice(list(_lines(text, "kind")))
    foreign = chance.choice(
        ["\tx: 1\n", "x: *nowhere\n", "{{ .Values.x }}\n", "x: a: b\n", "- x\n", "x: !!set 1\n"]
    )
    return text[: line.end()] + foreign + text[line.end() :], r"line \d+"


def _wrong_kind(chance: random.Random, text: str) -> Spoilt:
    line = chance.choice(list(_lines(text, "apiVersion", "kind")))
    value = chance.choice(["7", "[]", "{}", "~", "''", "true"])
    return f"{text[: line.start()]}{line[1]}: {value}\n{text[line.end() :]}", rf"line \d+.*{line[1]}"


def _no_object(chance: random.Random, text: str) -> Spoilt:
    return f"{text}\n---\n{chance.choice(['- 1', '3', 'text', 'a: 1', 'kind: List', '[{}]'])}\n", r"line \d+"


def _lines(text: str, *keys: str) -> Iterator[re.Match[str]]:
    """Top-level lines of documents with these keys."""
    return re.finditer(rf"^({'|'.join(keys)}):.*\n", text, re.MULTILINE)


def test_a_text_that_is_no_manifest_is_refused_with_the_line(command: Command, tmp_path: Path) -> None:
    chance = random.Random(17)  # noqa: S311 - no secret
    for text in TEXTS * ROUNDS:
        for spoil in (_cut_off, _deleted_line, _doubled_line, _foreign_line, _wrong_kind, _no_object):
            content, says = spoil(chance, text)
            answer = command("check", "--file", written(tmp_path, content))
            assert (answer.code, answer.out) == (2, ""), f"{spoil.__name__}:\n{content}"
            assert re.search(says, answer.err), f"{spoil.__name__}: {answer.err}"
            assert "Traceback" not in answer.err


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
