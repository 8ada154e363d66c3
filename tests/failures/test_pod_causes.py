"""What a line about a pod says beside the pod's state, and which of its last words."""

from typing import Any

import pytest

from failures.explanation import Explanation, last_words
from failures.pods_and_events import pod_causes
from tests.failures.conftest import CLUSTER, READY, AnsweringCluster

RUNNING = {"state": {"running": {}}}
WAITING = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}}


def _pod(status: dict[str, Any], **container: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "decode", "namespace": "gpt-oss"},
        "spec": {"nodeName": "tray-0", "containers": [{"name": "main", **container}]},
        "status": {"phase": "Running", "containerStatuses": [{"name": "main", **status}]},
    }


def _crashed(message: str, **container: Any) -> dict[str, Any]:
    ended = {"terminated": {"reason": "Error", "exitCode": 1, "message": message}}
    return _pod({"state": WAITING, "lastState": ended}, **container)


def _event(reason: str, when: str) -> dict[str, Any]:
    return {"type": "Warning", "reason": reason, "message": "said", "lastTimestamp": when}


ENDED = {"terminated": {"reason": "OOMKilled", "exitCode": 137}}
LOG = "--context somewhere logs decode --namespace gpt-oss --container main --tail=80"
CRASHED = "decode: main waiting, CrashLoopBackOff back-off 10s; before that it ended with exit code 1"


@pytest.mark.parametrize(
    ("unready", "said", "asked"),
    [
        pytest.param(_crashed("no flag"), f"{CRASHED}: no flag", [], id="a crash whose status keeps words"),
        pytest.param(
            _crashed(""),
            f"{CRASHED}; the end of its log: loading / no such flag",
            [f"{LOG} --previous"],
            id="a crash whose status keeps nothing",
        ),
        pytest.param(
            _pod({"state": ENDED}),
            "decode: main terminated, OOMKilled; the end of its log: loading / no such flag",
            [LOG],
            id="a container that has ended and not begun again",
        ),
    ],
)
def test_a_pod_says_its_last_words(
    unready: dict[str, Any], said: str, asked: list[str], cluster: AnsweringCluster
) -> None:
    cluster.say("logs", "loading\nno such flag\n")
    assert pod_causes(CLUSTER, [READY, unready]) == [said]
    assert cluster.asked() == asked


def test_a_process_that_runs_says_the_newest_of_its_pod_s_warnings(cluster: AnsweringCluster) -> None:
    cluster.answers(
        events=[_event("Unhealthy", "2026-11-23T10:00:02Z"), _event("Failed", "2026-11-23T10:00:01Z")]
    )
    assert pod_causes(CLUSTER, [_pod(RUNNING)]) == ["decode: Running, started but not ready; Unhealthy: said"]


def test_of_many_pods_three_are_looked_at_closer(cluster: AnsweringCluster) -> None:
    cluster.say("logs", "no such flag")
    lines = pod_causes(CLUSTER, [_crashed("")] * 5)
    assert [line.endswith("no such flag") for line in lines] == [True] * 3 + [False] * 2
    assert len(cluster.asked()) == 3


TRACEBACK = """INFO starting
Traceback (most recent call last):
  File "/opt/dynamo/main.py", line 7, in main
    runtime = DistributedRuntime(loop)
              ^^^^^^^^^^^^^^^^^^^^^^^^
Exception: Failed to connect to NATS: Connection refused.
"""
USAGE = """usage: worker.py [--model-path MODEL_PATH]
                 [--skip-components SKIP_COMPONENTS]
worker.py: error: argument --dyn-tool-call-parser: invalid choice: 'harmoni' (choose from 'harmony')
"""
YAML_ERROR = """yaml.scanner.ScannerError: mapping values are not allowed here
  in "/opt/dynamo/configs/decode.yaml", line 7, column 23
"""


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("", ""),
        ("one\n\ntwo\nthree\nfour\n", "two / three / four"),
        (TRACEBACK, "Exception: Failed to connect to NATS: Connection refused."),
        (
            USAGE,
            "usage: worker.py [--model-path MODEL_PATH] / worker.py: error: argument --dyn-tool-call-parser: "
            "invalid choice: 'harmoni' (choose from 'harmony')",
        ),
        (
            YAML_ERROR,
            "yaml.scanner.ScannerError: mapping values are not allowed here / "
            'in "/opt/dynamo/configs/decode.yaml", line 7, column 23',
        ),
        ("\x1b[2m2026\x1b[0m \x1b[31mERROR\x1b[0m  no   room", "2026 ERROR no room"),
    ],
)
def test_the_lines_that_say_what_was_wrong_are_kept(printed: str, said: str) -> None:
    assert last_words(printed) == said


def test_long_lines_before_the_last_one_go_first_and_the_last_one_is_cut_at_its_end() -> None:
    assert last_words("a" * 400 + "\n" + "b" * 400) == "b" * 400
    said = last_words("because " * 200)
    assert len(said) == 600
    assert said.endswith("…")


def test_last_words_of_a_pod_move_no_cursor_and_begin_no_line() -> None:
    finding = Explanation(
        title="graph g",
        waits_for="it is ready",
        page="graph-never-ready",
        reasons=["\x1b[31mout of memory\x1b[0m\nUpdate succeeded"],
    )
    assert "  \\x1b[31mout of memory\\x1b[0m\\nUpdate succeeded" in finding.text().splitlines()
