"""Manifests with one defect each, made from real ones by chance that is the same every time."""

import pickle
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from cli.render import render_graph
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import served_stack

ROOT = Path(__file__).parents[2]
RULES = ROOT / "tests" / "rules"
FILES = (
    *(RULES / "published").glob("trtllm-*.yaml"),
    RULES / "bases" / "trtllm-serve.yaml",
    RULES / "bases" / "vllm-serve.yaml",
)
STACKS = ("disagg-b200-tcp", "agg-gb200")
NAMES = sorted([*(file.stem for file in FILES), *STACKS])


@dataclass(frozen=True)
class Defect:
    """A file, what `check` must answer, and what it must name."""

    name: str
    content: str
    code: int
    says: str
    """A pattern: the rule and key, or the place."""


@cache
def texts() -> Mapping[str, str]:
    """Manifests that are sound enough for one further defect to show."""
    found = {file.stem: file.read_text(encoding="utf-8") for file in FILES}
    for name in STACKS:
        documents = render_graph(recorded_stack(served_stack(name)))
        found[name] = "---\n".join(document.text for document in documents)
    return found


def defect(seed: int) -> Defect:
    """The defect of that number."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    name = chance.choice(NAMES)
    serves = any(_starts_engine(item) for item in _walk(load(name)))
    if not serves or chance.random() < 0.5:
        make: Callable[[random.Random, str], tuple[str, str]] = chance.choice(_UNREADABLE)
        content, says = make(chance, texts()[name])
        code = 2
    else:
        content, says = _wrong(chance, name)
        make, code = _wrong, 1
    return Defect(f"{seed}: {make.__name__} in {name}", content, code, says)


def _cut_off(chance: random.Random, text: str) -> tuple[str, str]:
    return text[: chance.randrange(len(text))] + '\n"cut off: [', r"line \d+"


def _deleted_line(chance: random.Random, text: str) -> tuple[str, str]:
    line = chance.choice(list(_lines(text, "apiVersion", "kind")))
    return text[: line.start()] + text[line.end() :], rf"line \d+.*{line[1]}"


def _doubled_line(chance: random.Random, text: str) -> tuple[str, str]:
    line = chance.choice(list(_lines(text, "apiVersion", "kind", "metadata")))
    return text[: line.end()] + f"{line[1]}: {{}}\n" + text[line.start() :], rf"line \d+.*{line[1]}"


def _foreign_line(chance: random.Random, text: str) -> tuple[str, str]:
    line = chance.choice(list(_lines(text, "kind")))
    foreign = chance.choice(
        ["\tx: 1\n", "x: *nowhere\n", "{{ .Values.x }}\n", "x: a: b\n", "- x\n", "x: !!set 1\n"]
    )
    return text[: line.end()] + foreign + text[line.end() :], r"line \d+"


def _wrong_kind(chance: random.Random, text: str) -> tuple[str, str]:
    line = chance.choice(list(_lines(text, "apiVersion", "kind")))
    value = chance.choice(["7", "[]", "{}", "~", "''", "true"])
    return f"{text[: line.start()]}{line[1]}: {value}\n{text[line.end() :]}", rf"line \d+.*{line[1]}"


def _no_object(chance: random.Random, text: str) -> tuple[str, str]:
    return f"{text}\n---\n{chance.choice(['- 1', '3', 'text', 'a: 1', 'kind: List', '[{}]'])}\n", r"line \d+"


_UNREADABLE = (
    _cut_off,
    _deleted_line,
    _doubled_line,
    _foreign_line,
    _wrong_kind,
    _no_object,
)


def _lines(text: str, *keys: str) -> Iterator[re.Match[str]]:
    """Top-level lines of documents with these keys."""
    return re.finditer(rf"^({'|'.join(keys)}):.*\n", text, re.MULTILINE)


def _wrong(chance: random.Random, name: str) -> tuple[str, str]:
    documents = load(name)
    makers = [_wrong_gpus]
    if name in STACKS:
        # Of other releases and programs not all flags are known.
        makers.append(_unknown_flag)
    if any(_engine_files(documents)):
        makers += [_broken_engine_file, _missing_engine_file, _wrong_engine_value]
    says = chance.choice(makers)(chance, documents)
    return yaml.dump_all(documents, Dumper=yaml.CSafeDumper, sort_keys=False), says


def load(name: str) -> list[dict[str, Any]]:
    """The documents of a text, to change."""
    return pickle.loads(_pickled(name))  # noqa: S301 - pickled here


@cache
def _pickled(name: str) -> bytes:
    # A defect changes what it is given, and hundreds are made of one text.
    return pickle.dumps([item for item in yaml.load_all(texts()[name], Loader=yaml.CSafeLoader) if item])


def _wrong_gpus(chance: random.Random, documents: list[dict[str, Any]]) -> str:
    limits, key = chance.choice(
        [(item, key) for item in _walk(documents) for key in ("gpu", "nvidia.com/gpu") if key in item]
    )
    other = limits.get("requests", limits)
    other[key] = limits[key] = str(int(limits[key]) + chance.choice([1, 3, 8, 1_000]))
    for item in _walk(documents):
        # Kubernetes wants requests and limits of a device to be equal.
        if {"limits", "requests"} <= set(item) and item["limits"] is limits and key in item["requests"]:
            item["requests"][key] = limits[key]
        if {"limits", "requests"} <= set(item) and item["requests"] is limits and key in item["limits"]:
            item["limits"][key] = limits[key]
    return f"gpus-match-parallelism.*asks for {limits[key]} GPUs"


def _unknown_flag(chance: random.Random, documents: list[dict[str, Any]]) -> str:
    container = chance.choice([item for item in _walk(documents) if _starts_engine(item)])
    flag = f"--no-such-setting-{chance.randrange(1_000)}"
    words = container["args"] if container.get("args") else container["command"]
    if any(mark in words[-1] for mark in ("trtllm", "vllm")):
        words[-1] = words[-1].rstrip() + f" {flag} 1\n"
    else:
        words.extend([flag, "1"])
    return f"flags-exist.*{flag}"


def _broken_engine_file(chance: random.Random, documents: list[dict[str, Any]]) -> str:
    data, key = chance.choice(list(_engine_files(documents)))
    text = data[key]
    lines = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 9))
    data[key] = chance.choice(
        [
            "",
            "3",
            "- 1\n- 2\n",
            "null",
            "text",
            "a: b: c",
            f"{text}\n\t- x",
            f"{text}\nx: *nowhere\n",
            f"{text}\nx: !!python/name:os.system\n",
            f"{text}\nx: {'[' * 5_000}",
            f"{text}\nx: {'[' * 500}{']' * 500}",
            f"{text}\nl0: &l0 [x, x]\n{lines}\n",
            f"{text}\nx: &a [*a]\n",
            text[: chance.randrange(len(text))] + '\n"cut off: [',
            7,
            [text],
        ]
    )
    return f"engine-settings-accepted.*{re.escape(key)}"


def _missing_engine_file(chance: random.Random, documents: list[dict[str, Any]]) -> str:
    data, key = chance.choice(list(_engine_files(documents)))
    data[f"{key}.{chance.randrange(1_000)}"] = data.pop(key)
    return f"engine-settings-accepted.*has no key {re.escape(key)}"


def _wrong_engine_value(chance: random.Random, documents: list[dict[str, Any]]) -> str:
    data, key = chance.choice(list(_engine_files(documents)))
    content = yaml.safe_load(data[key])
    size = chance.choice([2, 3, 8, 16, 64])
    before = content.get("tensor_parallel_size", 1)
    content["tensor_parallel_size"] = size if size != before else size * 2
    data[key] = yaml.safe_dump(content)
    return f"gpus-match-parallelism.*tensor parallelism {content['tensor_parallel_size']} .*{re.escape(key)}"


def _engine_files(documents: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    for item in documents:
        if item["kind"] == "ConfigMap":
            data = item.get("data", {})
            yield from ((data, key) for key in data if "kv_cache_config" in data[key])


def _starts_engine(item: Mapping[str, Any]) -> bool:
    words = [*(item.get("command") or []), *(item.get("args") or [])] if "image" in item else []
    return any(
        re.search(r"dynamo\.(trtllm|vllm)|trtllm-serve|vllm", word) for word in words if isinstance(word, str)
    )


def _walk(value: Any) -> Iterator[dict[str, Any]]:
    """All mappings of the value."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _walk(item)
