"""What `up` renders is broken so that a process ends at once; `up` fails and says what the process said.

What processes say of other mistakes is in test_command_lines.py.
"""

import shutil
from typing import Any

import pytest

from lab.directory import REPOSITORY
from tests.serving.live_graph import GRAPH, NAMESPACE
from tests.serving_stacks.rehearsal import prepare
from tests.support.lab_stack import LabStack
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

# Long enough for a process to end twice.
READY_SECONDS = 25
ROOM, COMMAND, FLAG = "engines", "tensorrt_llm/engine.py", '"--disaggregation-mode"'


@pytest.fixture(scope="module")
def stack(own_serving_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> LabStack:
    """Stack dev before its first `up`, with a short wait for its graph."""

    def change(settings: dict[str, Any]) -> None:
        settings["serving"]["readyTimeoutSeconds"] = READY_SECONDS

    return prepare(own_serving_lab, tmp_path_factory.mktemp("broken"), "dev", change)


def test_a_flag_of_another_version_stands_in_the_message_of_up_and_without_it_the_stack_serves(
    stack: LabStack,
) -> None:
    room = stack.project / ROOM
    room.unlink()
    shutil.copytree(REPOSITORY / ROOM, room)
    text = (room / COMMAND).read_text()
    assert text.count(FLAG) == 1
    (room / COMMAND).write_text(text.replace(FLAG, FLAG.replace("mode", "strategy")))

    said = stack.failing_up()
    assert f"The wait for graph {GRAPH} ended." in said, said
    assert "docs/runbook/graph-never-ready.md" in said
    last_words = "Unrecognized argument: --disaggregation-strategy"
    lines = [each for each in said.splitlines() if "trtllmdecodeworker" in each and "exit code" in each]
    assert f"ended with exit code 1: ERROR:root:{last_words}" in lines[0]
    events = stack.lab.get("events", "-n", NAMESPACE, "--field-selector", "type=Warning")["items"]
    of_decode = [each for each in events if "trtllmdecodeworker" in each["involvedObject"]["name"]]
    assert any(last_words in each["message"] for each in of_decode)

    shutil.rmtree(room)
    room.symlink_to(REPOSITORY / ROOM, target_is_directory=True)
    stack.change_settings(lambda settings: settings["serving"].pop("readyTimeoutSeconds"))
    stack.pulumi("up", "--yes", "--skip-preview")
    stack.dynamo_stack("smoke", stack.name)
