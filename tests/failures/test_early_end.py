"""A run is ended where a wait cannot end well, and only there."""

from typing import Any

import pytest

from failures.early_end import Waits
from tests.failures.conftest import AnsweringCluster
from tests.failures.objects import CLUSTER, READY, failed

GOING = {"metadata": {"name": "gpt-oss", "deletionTimestamp": "2026-11-22T10:00:00Z"}}
GRAPH, RELEASE = failed("DynamoGraphDeployment", ""), failed("Release", "")


class Run:
    """A run that notes what it is told and whether it was ended; its thread never looks by itself."""

    def __init__(self, *, can_end: bool = True) -> None:
        self.said: list[str] = []
        self.endings = 0
        self.seconds = 0.0
        self._can_end = can_end
        self.waits = Waits(lambda: CLUSTER, self.said.append, self._end, lambda: self.seconds)

    def _end(self) -> bool:
        self.endings += 1
        return self._can_end


@pytest.fixture(autouse=True)
def _by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("failures.early_end.Waits._watch", lambda _: None)


def _absent(uid: str) -> dict[str, Any]:
    waiting = {
        "reason": "ErrImagePull",
        "message": "rpc error: code = NotFound desc = nvcr.io/a/b:9: not found",
    }
    status = {
        "containerStatuses": [{"name": "main", "image": "nvcr.io/a/b:9", "state": {"waiting": waiting}}]
    }
    return {"metadata": {"name": "decode", "uid": uid}, "spec": {"nodeName": "tray"}, "status": status}


def test_a_wait_in_a_namespace_that_is_being_deleted_is_ended_with_its_cause_at_the_second_look(
    cluster: AnsweringCluster,
) -> None:
    cluster.answers(Namespace=GOING)
    run = Run()
    run.waits.begun("graph", GRAPH)
    run.waits.look()
    assert (run.endings, run.said) == (0, [])
    run.waits.look()
    [said] = run.said
    assert run.endings == 1
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
    run.waits.look()
    assert run.endings == 1


def test_an_image_that_a_new_pod_cannot_get_ends_the_wait_but_old_words_only_after_the_kubelets_pause(
    cluster: AnsweringCluster,
) -> None:
    old, new = Run(), Run()
    cluster.answers(pods=[_absent("of-before")])
    old.waits.begun("graph", GRAPH)
    for _ in range(3):
        old.waits.look()
    assert old.endings == 0
    old.seconds = 331
    old.waits.look()
    old.waits.look()
    assert old.endings == 1
    cluster.answers(pods=[READY | {"metadata": {"name": "decode", "uid": "of-before"}}])
    new.waits.begun("graph", GRAPH)
    new.waits.look()
    cluster.answers(pods=[_absent("of-this-run")])
    new.waits.look()
    new.waits.look()
    assert new.endings == 1
    assert "image nvcr.io/a/b:9 does not exist" in new.said[0]


def test_nothing_is_ended_while_helm_works_and_nothing_that_has_ended_by_itself(
    cluster: AnsweringCluster,
) -> None:
    cluster.answers(Namespace=GOING)
    run = Run()
    run.waits.begun("release", RELEASE)
    run.waits.begun("graph", GRAPH)
    for _ in range(3):
        run.waits.look()
    assert run.endings == 0
    run.waits.ended("release")
    run.waits.ended("graph")
    run.waits.look()
    assert run.endings == 0


def test_a_wait_that_may_end_well_and_a_cluster_that_does_not_answer_are_left_alone(
    cluster: AnsweringCluster,
) -> None:
    run = Run()
    run.waits.begun("graph", GRAPH)
    run.waits.look()
    cluster.answers(Namespace={"metadata": {"name": "gpt-oss"}}, pods=[READY])
    run.waits.look()
    run.waits.look()
    assert (run.endings, run.said) == (0, [])


def test_where_the_engine_cannot_be_found_the_person_is_told_to_end_it(cluster: AnsweringCluster) -> None:
    cluster.answers(Namespace=GOING)
    run = Run(can_end=False)
    run.waits.begun("graph", GRAPH)
    run.waits.look()
    run.waits.look()
    assert "Ctrl-C ends it, and nothing is lost" in run.said[-1]
