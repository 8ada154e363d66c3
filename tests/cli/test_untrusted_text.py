"""What other people wrote is shown, and neither obeyed by the terminal nor able to stop the command."""

from pathlib import Path

import pytest
import yaml

from cli.render import render_graph
from resource_graph import Resource, ResourceGraph
from resource_graph.printable import one_line, printable
from tests.cli.command import Command, write_stack, written

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


def test_rendered_yaml_holds_no_control_character_and_reads_back_as_it_was() -> None:
    data = {"a": f"one\n{CLEAR}two", f"b{CLEAR}": "\u202eright to left", "c": "tab\tand\xa0space"}
    inputs = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": data}
    (document,) = render_graph(ResourceGraph([Resource(urn="u", type="t", name="m", inputs=inputs)]))
    assert printable(document.text) == document.text
    assert yaml.safe_load(document.text)["data"] == data


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
