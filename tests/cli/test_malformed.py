"""The command on inputs that nobody would write, and on manifests spoilt by chance: it ends, and in words."""

import json
import os
import random
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli import resource_limits
from resource_graph.printable import one_line, printable
from tests.cli.command import EIGHT_GPUS, ROOT, Answer, Command, findings, write_stack, written
from tests.cli.forked import forked_check
from tests.cli.malformed import MALFORMED, MEGABYTE
from tests.rules.judging import mutated

SECONDS = 20
MEMORY = 1024 * MEGABYTE
LONGEST_LINE = 3_000


def checked(*arguments: str | Path, **options: Any) -> Answer:
    """`dynamo-stack check --file` in a process that has no more memory and processor time than allowed."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    command = [str(Path(sys.executable).parent / "dynamo-stack"), "check", "--file", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, preexec_fn=limit, timeout=6 * SECONDS, check=False, **options
    )
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.slow
def test_every_malformed_input_ends_with_a_verdict_or_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "deploy.yaml"
    for name, (code, made) in MALFORMED.items():
        content = made()
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        answer = forked_check(file, memory=MEMORY, seconds=SECONDS)
        said = answer.out + answer.err
        # Whether the largest are still judged in time depends on the machine.
        in_time = "it takes more than" not in said
        assert answer.code == (code if in_time else 2), f"{name}: {said[-2_000:]}"
        assert "Traceback" not in said, name
        assert "the rule is broken" not in said, name
        assert "deploy.yaml" in said, name
        assert max(map(len, said.splitlines())) < LONGEST_LINE, name


def test_what_is_too_large_is_refused_at_once_with_the_limit(command: Command, tmp_path: Path) -> None:
    half = written(tmp_path, "#" * 5 * MEGABYTE)
    answer = command("check", "--file", half, half)
    assert (answer.code, answer.out) == (2, "")
    assert "deploy.yaml: too large: more than 8,388,608 bytes are not read at once" in answer.err


def test_what_is_no_file_is_refused_and_not_waited_for(command: Command, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    other = "it is no regular file; give one, or - for standard input"
    for path, reason in (
        (pipe, other),
        (Path("/dev/zero"), other),
        (tmp_path, "Is a directory"),
    ):
        answer = command("check", "--file", path)
        assert (answer.code, answer.out) == (2, "")
        assert f"{path}: cannot be read: {reason}" in answer.err


def test_standard_input_is_judged_like_a_file() -> None:
    answer = checked("-", input=mutated(EIGHT_GPUS).encode())
    assert (answer.code, answer.err) == (1, "")
    assert re.search("^standard input: STOP: ", answer.out, re.MULTILINE)
    assert "read: 1 ConfigMap, 1 DynamoGraphDeployment" in answer.out


def test_standard_input_is_bounded_and_read_once(command: Command) -> None:
    with Path("/dev/zero").open("rb") as endless:
        answer = checked("-", stdin=endless)
    assert (answer.code, answer.out) == (2, "")
    assert "standard input: too large" in answer.err
    assert "standard input (-) is named twice" in command("check", "--file", "-", "-").err


def test_what_a_message_quotes_is_shortened(command: Command, tmp_path: Path) -> None:
    file = written(tmp_path, f"kind: Pod\napiVersion: v1\nspec: {'x' * 90_000}\n")
    messages = {item["message"] for item in findings(command("check", "--json", "--file", file))}
    (message,) = [message for message in messages if message.startswith("spec is 'xxx")]
    assert len(message) < 900
    assert "characters … xxx" in message
    assert message.endswith("xxx', not a mapping")


def test_what_takes_too_long_or_too_much_is_refused_in_words(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One that was read before in this process takes less than the clock's tick.
    graphs = (mutated().replace("gpt-oss-disagg", f"graph-{number}") for number in range(20))
    file = written(tmp_path, "\n---\n".join(graphs))
    monkeypatch.setattr(resource_limits, "_SECONDS", 0.0001)
    # The first may come in a finalizer, where Python swallows it.
    monkeypatch.setattr(resource_limits, "_AGAIN_SECONDS", 0.01)
    answer = command("check", "--file", file)
    assert (answer.code, answer.out) == (2, "")
    assert "deploy.yaml: not judged: it takes more than" in answer.err


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


CLEAR = "\x1b[2J"
FORGED = "x\nstack dev: passed: 0 mandatory"


def graph(name: str) -> str:
    content = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": name},
        "spec": {"services": {name: {"componentType": "worker", "resources": {"limits": {"gpu": "4"}}}}},
    }
    return yaml.safe_dump(content)


def test_what_is_not_printable_is_written_as_python_does_and_a_name_has_one_line() -> None:
    for character in ("\x1b", "\x07", "\r", "\x7f", "\x9b", "\u202e", "\u2028", "\udcff"):
        assert printable(f"a{character}b") == f"a{repr(character)[1:-1]}b"
    assert printable("one\n\ttwo: ä…") == "one\n\ttwo: ä…"
    assert one_line("one\ntwo") == r"one\ntwo"


def test_check_escapes_what_a_name_or_a_key_would_tell_the_terminal(command: Command, tmp_path: Path) -> None:
    file = written(tmp_path, graph(f"{CLEAR}\x7f\u202e{FORGED}"))
    for options in ((), ("--json",)):
        out = command("check", "--file", file, *options).out
        assert "[2J" in out
        assert not {"\x1b", "\x7f", "\u202e"} & set(out)
        assert "\nstack dev: passed" not in out
    refused = command("check", "--file", written(tmp_path, 'kind: A\n"\\e[2J": 1\n"\\e[2J": 2\n'))
    assert refused.code == 2
    assert "\x1b" not in refused.err
    assert "x1b[2J" in refused.err


def test_list_and_explain_escape_names_of_files_and_keys(command: Command, tmp_path: Path) -> None:
    write_stack(tmp_path, {f"recipe{CLEAR}": 1}, name=f"a{CLEAR}")
    listed = command("list", folder=tmp_path)
    assert "\x1b" not in listed.out
    assert r"a\x1b[2J" in listed.out
    explained = command("explain", f"a{CLEAR}", folder=tmp_path)
    assert (explained.code, explained.out) == (2, "")
    assert "\x1b" not in explained.err


def bomb(settings: str) -> str:
    levels = "".join(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 9))
    return f"a0: &a0 [x]\n{levels}config: {{'dynamo-stack:settings': {settings}}}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"config: {'[' * 5000}{']' * 5000}", "nested too deeply"),
        (f"config: {'{a: ' * 5000}", "nested too deeply"),
        (bomb("*a8"), "more than 1,000,000 values"),
        (bomb("{<<: [*a8]}"), "more than 1,000,000 values"),
    ],
)
def test_a_stack_file_that_is_a_bomb_is_refused_in_words(
    command: Command, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "Pulumi.dev.yaml").write_text(text)
    answer = command("explain", "dev", "--all", folder=tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert command("list", folder=tmp_path).code == 0


def test_a_folder_that_cannot_be_read_is_named_without_a_traceback(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path, _: str) -> None:
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr(Path, "glob", refuse)
    answer = command("list", folder=tmp_path)
    assert (answer.code, answer.err) == (2, f"{tmp_path}: Permission denied\n")
