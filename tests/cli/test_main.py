"""What `dynamo-stack` says of itself: groups, examples, version; and what Tab offers at a shell."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.commands import COMMANDS
from cli.main import app
from stacks.stack_files import list_stacks
from tests.cli.command import ROOT, asking

SHOWN = sorted(name for name, listed in COMMANDS.items() if not listed.is_hidden)


@pytest.mark.parametrize("name", sorted(set(SHOWN) - {"recipes"}))
def test_the_help_of_a_command_ends_with_an_example_that_it_accepts(name: str) -> None:
    command = COMMANDS[name].load(name)
    examples = [line.removeprefix("Example: ") for line in (command.epilog or "").splitlines() if line]
    assert examples
    for example in examples:
        program, word, *arguments = shlex.split(example)
        assert (program, word) == ("dynamo-stack", name)
        # An option that does not exist, or a value of another type, ends it.
        command.make_context(name, arguments)


_EACH_COMMAND = {f"cli.{listed.place.partition(':')[0]}" for listed in COMMANDS.values()}
_HEAVY = {"pulumi", "yaml", "requests", "botocore", "recipes.model", "stacks.settings.load"}
_LOADED: dict[str, tuple[list[str], dict[str, str], set[str]]] = {
    "the help loads no command": (["--help"], {}, _EACH_COMMAND),
    "a name that Tab completes loads none": ([], asking("expl"), _EACH_COMMAND | _HEAVY),
    "a list records nothing": (["list"], {}, {"pulumi"}),
    "a check of a file records nothing": (["check", "--file", "Pulumi.yaml"], {}, {"pulumi"}),
}


@pytest.mark.parametrize(("words", "environment", "spared"), _LOADED.values(), ids=_LOADED)
def test_what_a_command_does_not_need_is_not_loaded(
    words: list[str], environment: dict[str, str], spared: set[str]
) -> None:
    code = (
        "import atexit, sys\n"
        "atexit.register(lambda: sys.stderr.write('\\nloaded: ' + ' '.join(sys.modules)))\n"
        f"sys.argv = ['dynamo-stack', *{words!r}]\n"
        "from cli.main import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    loaded = {*done.stderr.rpartition("loaded: ")[2].split()}
    assert "cli.main" in loaded
    assert loaded & spared == set()


_AT_A_TERMINAL = "FORCE_COLOR=1 NO_COLOR=1 TERM=xterm"
_AT_A_SHELL: dict[str, tuple[str, int, str]] = {
    "the version is that of the package": (
        "$0 --version >&2",
        0,
        f"dynamo-stack {version('dynamo-stack')}\n",
    ),
    "the script of completion is that of the shell": (
        "$0 --show-completion | grep ^complete >&2",
        0,
        "complete -o default -F _dynamo_stack_completion dynamo-stack\n",
    ),
    "a misspelt command": ("$0 doctr 2>&1 | grep -o 'mean .doctor.?' >&2", 2, "mean 'doctor'?\n"),
    "nobody reads": ("$0 list | true", 141, ""),
    "a full disk": ("$0 list > /dev/full", 2, "standard output or a file: No space left on device\n"),
    "a full disk, of the help": (
        "$0 --help > /dev/full",
        2,
        "standard output or a file: No space left on device\n",
    ),
    "a full disk, of the version": (
        "$0 --version > /dev/full",
        2,
        "standard output or a file: No space left on device\n",
    ),
    "no stack": (
        "$0 explain 2>&1 | sed 's/, disagg.*//' >&2",
        2,
        "STACK is missing\n  allowed: agg-b200, agg-gb200, dev\n  try: dynamo-stack explain --help\n",
    ),
    "no stack in a folder that is gone": (
        "(cd $(mktemp -d); rmdir $PWD; $0 explain)",
        2,
        "STACK is missing\n  try: dynamo-stack explain --help\n",
    ),
    "a name in a table of 80 columns": (
        f"COLUMNS=80 {_AT_A_TERMINAL} $0 list | grep -o '/trtllm-disagg-one-pod .* 8 B200' >&2",
        0,
        "/trtllm-disagg-one-pod  8 B200\n",
    ),
    "a name where a table has no room": (
        f"COLUMNS=60 {_AT_A_TERMINAL} $0 list | grep -o 'gpt.*-max-throughput$' | uniq >&2",
        0,
        "gpt-oss-120b/trtllm-max-throughput\n",
    ),
    "a file in the place of a stack": (
        "$0 check docs/examples/graph.yaml Pulumi.yaml",
        2,
        "docs/examples/graph.yaml: a file, in the place of a stack\n  allowed: one STACK, or --file FILE…\n"
        "  try: dynamo-stack check --file docs/examples/graph.yaml\n",
    ),
    "no comparison can begin": ("$0 diff main --format html 2> /dev/null", 3, ""),
    "no command can begin": ("$0 list --jso 2> /dev/null", 2, ""),
    "no date": (
        "SOURCE_DATE_EPOCH=soon $0 explain dev 2>&1 | grep EPOCH.= >&2",
        2,
        "SOURCE_DATE_EPOCH = 'soon'\n",
    ),
}


@pytest.mark.parametrize(("line", "code", "said"), _AT_A_SHELL.values(), ids=_AT_A_SHELL)
def test_a_shell_gets_what_was_asked_for_or_a_code_that_is_no_verdict(
    line: str, code: int, said: str
) -> None:
    program = Path(sys.executable).parent / "dynamo-stack"
    shell = ["bash", "-o", "pipefail", "-c", line, str(program)]
    done = subprocess.run(shell, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (code, said)


Offered = Callable[..., list[str]]


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> Offered:
    """The words that bash would offer in a folder."""

    def words_for(*words: str, folder: Path = ROOT) -> list[str]:
        monkeypatch.chdir(folder)
        answer = CliRunner().invoke(app, env=asking(*words), prog_name="dynamo-stack")
        assert answer.exit_code == 0
        return answer.output.split()

    return words_for


def test_commands_and_stacks_are_offered_and_files_are_left_to_the_shell(
    offered: Offered,
) -> None:
    stacks = [each for each in list_stacks(ROOT) if each.startswith("disagg-")]
    assert offered("explain", "disagg-") == stacks
    assert offered("expl") == ["explain"]
    assert offered("check", "--file", "a.yaml", "d") == []


def test_recipes_of_the_catalogue_and_of_a_typed_folder_are_offered(offered: Offered, tmp_path: Path) -> None:
    (tmp_path / "ours.yaml").touch()
    assert "gpt-oss-120b/trtllm-agg" in offered("recipes", "show", "gpt-oss-120b/")
    assert offered("recipes", "new", "x", "--from", "gpt-oss-20b") == ["gpt-oss-20b/trtllm-agg"]
    assert offered("recipes", "show", "--folder", str(tmp_path), "ou") == ["ours"]
