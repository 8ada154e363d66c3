"""Runs `dynamo-stack` in this process, or as a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest
import yaml

from cli import explain, render, report
from cli.documents.schema import document_schema
from cli.main import main
from operations import project
from operations.revisions import own_folder
from tests.support.recordings import recorded_stack

ROOT = Path(__file__).parents[2]
DEADLINE_SECONDS = 60


@dataclass(frozen=True)
class Answer:
    """What a person would see."""

    code: int
    out: str
    err: str


class Command:
    """`dynamo-stack` in this process, started from a folder."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *arguments: str | Path, folder: Path = ROOT) -> Answer:
        self._monkeypatch.chdir(folder)
        # It records in a process of its own as a rule, and has to know the program's own function.
        assert own_folder.recorded_stack is not recorded_stack
        for module in (project, explain, render, report):
            self._monkeypatch.setattr(module, "recorded_stack", recorded_stack)
        self._monkeypatch.setattr(sys, "argv", ["dynamo-stack", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        seen = self._capsys.readouterr()
        code = ended.value.code
        return Answer(code if isinstance(code, int) else int(code is not None), seen.out, seen.err)


def squeezed(text: str) -> str:
    """The text without the breaks and blanks that make columns."""
    return " ".join(text.split())


def asking(*words: str) -> dict[str, str]:
    """What bash tells of a line whose last word the person is typing."""
    return {
        "_DYNAMO_STACK_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["dynamo-stack", *words]),
        "COMP_CWORD": str(len(words)),
    }


def merged(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with these changes: a mapping changes one that is there, and None removes a key."""
    result = {**settings, **changes}
    for key, change in changes.items():
        before = settings.get(key)
        if isinstance(before, Mapping) and isinstance(change, Mapping):
            result[key] = merged(before, change)
    return {key: value for key, value in result.items() if value is not None}


def write_stack(folder: Path, settings: dict[str, Any], name: str = "dev", **config: Any) -> Path:
    """A stack file with these settings; `config` are further configuration keys of the project."""
    keys = {f"dynamo-stack:{key}": value for key, value in ({"settings": settings} | config).items()}
    file = folder / f"Pulumi.{name}.yaml"
    file.write_text(yaml.safe_dump({"config": keys}, sort_keys=False), encoding="utf-8")
    return file


def run_process(*arguments: str, folder: Path = ROOT, **environment: str) -> Answer:
    """The installed command, with these environment variables beside this process's own."""
    command = [str(Path(sys.executable).parent / "dynamo-stack"), *arguments]
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def objects(text: str) -> list[dict[str, Any]]:
    """Those of a text of YAML; comments alone are none."""
    return [each for each in yaml.load_all(text, Loader=yaml.CSafeLoader) if each is not None]


EIGHT_GPUS = ('gpu: "4"', 'gpu: "8"')


def written(tmp_path: Path, text: str | bytes, name: str = "deploy.yaml") -> Path:
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def findings(answer: Answer, rule: str | None = None) -> list[dict[str, Any]]:
    """Of a report as JSON; of one rule, or all."""
    return [item for item in json.loads(answer.out)["findings"] if rule in {None, item["rule"]}]


def read_document(command: Any, text: str) -> dict[str, Any]:
    """What a command printed, which has to be its own document."""
    document = json.loads(text)
    schema = document_schema(command)
    for node in _mappings(schema):
        node["additionalProperties"] = False
    jsonschema.Draft7Validator(schema).validate(document)
    assert list(document)[:2] == ["schema", "version"]
    return document


def _mappings(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        node = cast("dict[str, Any]", value)
        if isinstance(node.get("properties"), dict) and "type" in node:
            yield node
        for inner in node.values():
            yield from _mappings(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _mappings(inner)
