"""What `up` renders is broken so that a process ends at once; `up` fails and says what the process said."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from lab.directory import REPOSITORY
from tests.serving.live_graph import GRAPH, NAMESPACE
from tests.serving_stacks.rehearsal import SETTINGS, prepare

if TYPE_CHECKING:
    from tests.support.lab_stack import LabStack
    from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

# Long enough for a process to end twice.
READY_SECONDS = 25
ROOM, COMMAND = "engines", "tensorrt_llm/command.py"


@pytest.fixture(scope="module")
def stack(own_serving_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> LabStack:
    """Stack dev before its first `up`, with a short wait for its graph."""

    def change(settings: dict[str, Any]) -> None:
        settings["serving"]["readyTimeoutSeconds"] = READY_SECONDS

    return prepare(own_serving_lab, tmp_path_factory.mktemp("broken"), "dev", change)


def _written_with(stack: LabStack, old: str, new: str) -> None:
    """Give the project a copy of the writer of commands and engine files, with one change."""
    _written_as_shipped(stack)
    room = stack.project / ROOM
    room.unlink()
    shutil.copytree(REPOSITORY / ROOM, room)
    text = (room / COMMAND).read_text()
    assert text.count(old) == 1, old
    (room / COMMAND).write_text(text.replace(old, new))


def _written_as_shipped(stack: LabStack) -> None:
    room = stack.project / ROOM
    if not room.is_symlink():
        shutil.rmtree(room)
        room.symlink_to(REPOSITORY / ROOM, target_is_directory=True)


def _failed_up(stack: LabStack) -> str:
    answer = stack.pulumi("up", "--yes", "--skip-preview", check=False)
    said = answer.stdout + answer.stderr
    assert answer.returncode != 0, said
    assert f"The wait for graph {GRAPH} ended after {READY_SECONDS} s." in said, said
    assert "docs/runbook/graph-never-ready.md" in said
    [line] = [each for each in said.splitlines() if "trtllmdecodeworker" in each and "exit code" in each][:1]
    return line


def _events(stack: LabStack) -> str:
    """What the events of the decode worker's pod say."""
    events = stack.lab.get("events", "-n", NAMESPACE, "--field-selector", "type=Warning")["items"]
    of_decode = [each for each in events if "trtllmdecodeworker" in each["involvedObject"]["name"]]
    return "\n".join(each["message"] for each in of_decode)


def test_a_flag_of_another_version_stands_in_the_message_of_up(stack: LabStack) -> None:
    _written_with(stack, "--disaggregation-mode {start.role}", "--disaggregation-strategy {start.role}")
    said = _failed_up(stack)
    assert "ended with exit code 1: ERROR:root:Unrecognized argument: --disaggregation-strategy" in said
    assert "Unrecognized argument: --disaggregation-strategy" in _events(stack)


def test_a_misspelt_parser_stands_in_the_message_of_up(stack: LabStack) -> None:
    _written_with(stack, "shlex.join(words)]", 'shlex.join(words).replace("harmony", "harmoni")]')
    said = _failed_up(stack)
    assert "argument --dyn-tool-call-parser: invalid choice: 'harmoni' (choose from " in said


def test_a_malformed_engine_file_stands_in_the_message_of_up(stack: LabStack) -> None:
    _written_with(
        stack,
        "default_flow_style=False)\n\n",
        'default_flow_style=False) + "kv_cache_config: dtype: fp8\\n"\n\n',
    )
    said = _failed_up(stack)
    assert "(--extra-engine-args) is no YAML: mapping values are not allowed here" in said


def test_what_was_broken_serves_once_it_is_written_as_before(stack: LabStack) -> None:
    _written_as_shipped(stack)
    content = stack.settings()
    del content["config"][SETTINGS]["serving"]["readyTimeoutSeconds"]
    stack.write_settings(content)
    stack.pulumi("up", "--yes", "--skip-preview")
    answer = stack.dynamo_stack("smoke", stack.name, check=False)
    assert answer.returncode == 0, answer.stdout
