"""A run is ended where a wait cannot end well, and only there; and what its engine was asked to do."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from failures.early_end import Waits, causes, pods_of
from failures.engine_process import engine_pid, makes_resources
from failures.explanation import Subject
from tests.failures.conftest import CLUSTER, READY, AnsweringCluster, failed, said_of

GOING = {"metadata": {"name": "gpt-oss", "deletionTimestamp": "2026-11-22T10:00:00Z"}}
GRAPH = "DynamoGraphDeployment", {"metadata": {"name": "gpt-oss-disagg", "namespace": "gpt-oss"}}
RELEASE = "Release", {"name": "dynamo-platform", "namespace": "dynamo-system"}


WAITED = Subject("DynamoGraphDeployment", "gpt-oss-disagg", "gpt-oss")
CLAIM_MOUNT = {"volumes": [{"name": "cache", "persistentVolumeClaim": {"claimName": "model-cache"}}]}
# As kubelet 1.31 and later and containerd 2 word them.
ABSENT = (
    'Back-off pulling image "nvcr.io/a/b:9": ErrImagePull: rpc error: code = NotFound desc = failed to pull '
    'and unpack image "nvcr.io/a/b:9": failed to resolve reference "nvcr.io/a/b:9": nvcr.io/a/b:9: not found'
)


class Run:
    """A run that notes what it is told and whether it was ended; its thread never looks by itself."""

    def __init__(self, *, can_end: bool = True) -> None:
        self.said: list[str] = []
        self.endings = 0
        self.seconds = 0.0
        self._can_end = can_end
        self.waits = Waits(lambda: CLUSTER, self.said.append, self._end, lambda: self.seconds)

    def look(self, times: int = 1) -> int:
        """Look so often; return how often the run has been ended."""
        for _ in range(times):
            self.waits.look()
        return self.endings

    def _end(self) -> bool:
        self.endings += 1
        return self._can_end


@pytest.fixture(autouse=True)
def _by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("failures.early_end.Waits._watch", lambda _: None)


def _pulling(message: str = ABSENT, uid: str = "") -> dict[str, Any]:
    waiting = {"waiting": {"reason": "ErrImagePull", "message": message}}
    status = {"containerStatuses": [{"name": "main", "image": "nvcr.io/a/b:9", "state": waiting}]}
    return {"metadata": {"name": "decode", "uid": uid}, "spec": {"nodeName": "tray"}, "status": status}


def test_a_wait_in_a_namespace_that_is_being_deleted_is_ended_with_its_cause_at_the_second_look(
    cluster: AnsweringCluster,
) -> None:
    cluster.answers(Namespace=GOING)
    run = Run()
    run.waits.begun("graph", *GRAPH)
    assert (run.look(), run.said) == (0, [])
    assert run.look() == 1
    [said] = run.said
    assert "The wait for graph gpt-oss-disagg ended early: more waiting does not help." in said
    error, cause, command, page = (
        said.index(words)
        for words in (
            "The wait for graph",
            "namespace gpt-oss is being deleted since 2026-11-22T10:00:00Z",
            "`pulumi up --refresh` then makes it again",
            "docs/runbook/deletion-hangs.md",
        )
    )
    assert error < cause < command < page
    assert run.look() == 1


def test_an_image_that_a_new_pod_cannot_get_ends_the_wait_but_old_words_only_after_the_kubelets_pause(
    cluster: AnsweringCluster,
) -> None:
    old, new = Run(), Run()
    cluster.answers(pods=[_pulling(uid="of-before")])
    old.waits.begun("graph", *GRAPH)
    assert old.look(3) == 0
    old.seconds = 331
    assert old.look(2) == 1
    cluster.answers(pods=[READY | {"metadata": {"name": "decode", "uid": "of-before"}}])
    new.waits.begun("graph", *GRAPH)
    assert new.look() == 0
    cluster.answers(pods=[_pulling(uid="of-this-run")])
    assert new.look(2) == 1
    assert "image nvcr.io/a/b:9 does not exist" in new.said[0]


def test_nothing_is_ended_while_helm_works_and_nothing_that_has_ended_by_itself(
    cluster: AnsweringCluster,
) -> None:
    cluster.answers(Namespace=GOING)
    run = Run()
    run.waits.begun("release", *RELEASE)
    run.waits.begun("graph", *GRAPH)
    assert run.look(3) == 0
    run.waits.ended("release")
    run.waits.ended("graph")
    assert run.look() == 0


def test_a_wait_that_may_end_well_and_a_cluster_that_does_not_answer_are_left_alone(
    cluster: AnsweringCluster,
) -> None:
    run = Run()
    run.waits.begun("graph", *GRAPH)
    assert run.look() == 0
    cluster.answers(Namespace={"metadata": {"name": "gpt-oss"}}, pods=[READY])
    assert (run.look(2), run.said) == (0, [])


def test_where_the_engine_cannot_be_found_the_person_is_told_to_end_it(cluster: AnsweringCluster) -> None:
    cluster.answers(Namespace=GOING)
    run = Run(can_end=False)
    run.waits.begun("graph", *GRAPH)
    run.look(2)
    assert "Ctrl-C ends it, and nothing is lost" in run.said[-1]


def _mounting(claim: dict[str, Any]) -> dict[str, Any]:
    pod = {"metadata": {"name": "decode-0"}, "spec": CLAIM_MOUNT, "status": {}}
    return {"pods": [pod], "PersistentVolumeClaim": claim}


REMAINING = {"type": "NamespaceContentRemaining", "status": "True", "message": "pods. has 3"}
GOING_CLAIM = {"metadata": {"name": "model-cache", "deletionTimestamp": "2026-11-22T10:00:00Z"}, "spec": {}}


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        *(
            pytest.param(
                {"pods": [_pulling(message)]}, ["image nvcr.io/a/b:9 does not exist"], id=message[-30:]
            )
            for message in (ABSENT, "no match for platform in manifest: not found", "manifest unknown")
        ),
        *(
            pytest.param({"pods": [_pulling(message)]}, [], id=message)
            for message in (
                "failed to pull: 401 Unauthorized",
                "429 Too Many Requests",
                "dial tcp: lookup nvcr.io: i/o timeout",
                'Back-off pulling image "nvcr.io/a/b:9"',
            )
        ),
        pytest.param(
            {"Namespace": GOING | {"status": {"conditions": [REMAINING]}}},
            [
                "namespace gpt-oss is being deleted since 2026-11-22T10:00:00Z",
                "NamespaceContentRemaining: pods. has 3",
            ],
            id="a namespace that is going",
        ),
        pytest.param(
            _mounting(GOING_CLAIM), ["claim model-cache: is being deleted since"], id="a claim that is going"
        ),
        pytest.param(
            _mounting({"spec": {"volumeName": "pv-1"}, "status": {"phase": "Lost"}}),
            ["claim model-cache: has lost its volume pv-1"],
            id="a claim without its volume",
        ),
        pytest.param(
            _mounting({"spec": {"volumeName": "pv-1"}, "status": {"phase": "Bound"}}), [], id="only no room"
        ),
    ],
)
def test_only_a_cause_that_does_not_pass_ends_a_wait(
    cluster: AnsweringCluster, answers: dict[str, Any], found: list[str]
) -> None:
    cluster.answers(**answers)
    seen = causes(CLUSTER, WAITED, pods_of(CLUSTER, WAITED))
    assert len(seen) == len(found)
    assert all(words in cause for cause, words in zip(seen, found, strict=True))


@pytest.mark.parametrize(
    ("operation", "answers", "said"),
    [
        (
            failed("Job", "unable to create new content in namespace gpt-oss because it is being terminated"),
            {"Namespace": GOING},
            ("namespace gpt-oss is being deleted", "docs/runbook/deletion-hangs.md"),
        ),
        (
            failed("Job", 'namespaces "gpt-oss" not found'),
            {},
            ("namespace gpt-oss is gone", "docs/runbook/deletion-hangs.md"),
        ),
        (
            failed("DynamoGraphDeployment"),
            _mounting(GOING_CLAIM),
            ("is being deleted since", "docs/runbook/cache-lost.md"),
        ),
    ],
    ids=["a namespace that is going", "a namespace that is gone", "a claim that is going"],
)
def test_what_cannot_end_well_has_a_page_of_its_own(
    cluster: AnsweringCluster, operation: Any, answers: dict[str, Any], said: tuple[str, str]
) -> None:
    cluster.answers(**answers)
    text = said_of(operation)
    assert [part for part in said if part not in text] == []


ROOT = Path(__file__).parents[3]
PROGRAM = """
from failures.engine_process import engine_pid, makes_resources
print(makes_resources(), engine_pid())
"""


@pytest.mark.parametrize(
    ("command", "makes"),
    [
        ("--non-interactive update", True),
        ("destroy --run-program --stack dev", False),
        ("--cwd /somewhere down --run-program", False),
        ("refresh --run-program", False),
        ("of another time", True),
    ],
)
def test_only_commands_that_make_things_are_taken_for_such(tmp_path: Path, command: str, makes: bool) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    engine = tmp_path / "pulumi"
    # The language host stands between engine and program.
    run = f"sh -c '{sys.executable} {tmp_path}/program.py; true'"
    engine.write_text(f"#!/bin/sh\n{run}\necho $$\n", encoding="utf-8")
    engine.chmod(0o755)
    done = subprocess.run(
        [engine, *command.split()],
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "40"},
        capture_output=True,
        text=True,
        check=True,
    )
    found, pid, engines = done.stdout.split()
    assert (found, pid) == (str(makes), engines)


def test_a_program_that_no_engine_runs_makes_what_it_registers() -> None:
    assert engine_pid() is None
    assert makes_resources()
