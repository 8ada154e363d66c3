"""A fault -> the doctor's first line: one at a time, and two at once."""

import re
from typing import Any

import pytest

from lab.directory import REPOSITORY
from operations.doctor.target import roles_in
from operations.errors import CommandError
from tests.cli.command import merged
from tests.operations.doctor.faults import FAULTS
from tests.operations.doctor.recorded_cluster import NODE, RecordedCluster

API_SERVER, AWAY = "the API server is away", "could not be looked at: the API server does not answer"
FORBIDDEN = 'GET /health: kubectl port-forward ended: pods "f" is forbidden: User "v" cannot create it'
# The lower fault first: it is the first line, and the upper one stands below it, or follows from it.
PAIRS = (
    ("a GPU node is lost", "the operator is away", "also"),
    ("a GPU node is lost", "a worker is not registered", "follows"),
    ("a GPU node is gone", "the claim has lost its volume", "also"),
    ("a GPU is missing", "the image is not pulled", "follows"),
    ("the claim has lost its volume", "the model is not on its volume", "follows"),
    ("the download failed", "the model is not on its volume", "follows"),
    ("the operator is away", "the graph asks for no prefill", "follows"),
    ("NATS is away", "a worker was killed", "follows"),
    ("all of etcd is away", "a worker is not registered", "follows"),
    ("the image is not pulled", "the model is not listed", "follows"),
    ("a worker was killed", "a request never ends", "follows"),
    ("the operator is away", "the buffer pool is poisoned", "also"),
)


def test_a_healthy_stack_is_one_line_with_the_time_of_its_answer() -> None:
    found = RecordedCluster().diagnosis()
    assert (found.healthy, found.causes, found.symptoms) == (True, (), ())
    assert found.headline() == "stack dev is healthy: it answered in 0.4 s"


@pytest.mark.parametrize("fault", FAULTS)
def test_the_first_line_names_the_fault(fault: str) -> None:
    cluster, (breaks, line) = RecordedCluster(), FAULTS[fault]
    breaks(cluster)
    found = cluster.diagnosis()
    assert found.headline().startswith("stack dev is sick: ")
    assert line in found.headline()
    assert len(found.causes) == 1, [each.what for each in found.causes]
    assert found.causes[0].page
    assert found.causes[0].command


@pytest.mark.parametrize(("lower", "upper", "place"), PAIRS)
def test_of_two_faults_the_first_line_names_the_cause(lower: str, upper: str, place: str) -> None:
    cluster = RecordedCluster()
    for fault in (upper, lower):
        FAULTS[fault][0](cluster)
    found = cluster.diagnosis()
    assert FAULTS[lower][1] in found.headline()
    elsewhere = found.causes[1:] if place == "also" else found.symptoms
    assert any(each.stage >= found.causes[0].stage for each in elsewhere), found


@pytest.mark.parametrize(
    ("cluster", "said"),
    [
        (RecordedCluster(unreachable="the API server does not answer: refused"), f"{AWAY}: refused\n"),
        (RecordedCluster(not_allowed=FORBIDDEN), f"could not be asked: {FORBIDDEN}\n  needed in"),
    ],
    ids=["no API server", "an account that may open no port-forward"],
)
def test_what_nobody_could_look_at_is_neither_sick_nor_healthy(cluster: RecordedCluster, said: str) -> None:
    with pytest.raises(CommandError, match=re.escape(f"stack dev {said}")):
        cluster.diagnosis()


@pytest.mark.parametrize("wrong", [{}, {"frontend": "HTTP 503"}], ids=["from the first", "after an answer"])
def test_an_account_that_may_not_ask_the_frontend_is_told_of_what_is_broken_below(
    wrong: dict[str, str],
) -> None:
    cluster = RecordedCluster(not_allowed=FORBIDDEN, wrong_answers=wrong)
    FAULTS["NATS is away"][0](cluster)
    found = cluster.diagnosis()
    assert FAULTS["NATS is away"][1] in found.headline()
    assert ([each.about for each in found.symptoms], FORBIDDEN in found.unseen) == ([*wrong], True)


@pytest.mark.parametrize(
    ("fault", "kind", "name", "changes"),
    [
        pytest.param(
            "no GPUs are left",
            "nodes",
            NODE,
            {
                "metadata": {"name": "h100-of-another-team", "labels": {"nvidia.com/gpu.product": "H100"}},
                "status": {"conditions": [{"type": "Ready", "status": "Unknown"}]},
            },
            id="a silent node of another team",
        ),
        pytest.param(
            None,
            "pods",
            "operator",
            {
                "metadata": {"name": "hook"},
                "spec": {"nodeName": "gone"},
                "status": {"phase": "Succeeded", "conditions": None},
            },
            id="a pod of the platform that is done",
        ),
        pytest.param(
            None,
            "deployments",
            "operator",
            {"metadata": {"namespace": "another-team"}, "status": {"readyReplicas": None}},
            id="the operator of another platform",
        ),
    ],
)
def test_what_is_beside_the_stack_changes_no_diagnosis(
    fault: str | None, kind: str, name: str, changes: dict[str, Any]
) -> None:
    cluster = RecordedCluster()
    if fault:
        FAULTS[fault][0](cluster)
    before = cluster.diagnosis().headline()
    cluster.listed[kind].insert(0, merged(cluster.one(kind, name), changes))
    assert cluster.diagnosis().headline() == before


def test_the_page_lists_every_fault_with_its_line() -> None:
    page = (REPOSITORY / "docs" / "doctor.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+) \| `(.+)` \|$", page, re.MULTILINE)
    assert dict(rows) == {API_SERVER: AWAY, **{fault: line for fault, (_, line) in FAULTS.items()}}


@pytest.mark.parametrize(
    ("spec", "roles"),
    [
        # The worker of an aggregated graph may call itself decode.
        (
            {
                "services": {
                    "Frontend": {"componentType": "frontend"},
                    "Worker": {"subComponentType": "decode"},
                }
            },
            {"Frontend": ("frontend",), "Worker": ("worker",)},
        ),
        # A planner is no worker, and a word that the operator does not know is one.
        (
            {
                "components": [
                    {"name": name, "type": said}
                    for name, said in (("p", "planner"), ("a", "prefill"), ("b", "decode"), ("old", "main"))
                ]
            },
            {"p": ("planner",), "a": ("prefill",), "b": ("decode",), "old": ("worker",)},
        ),
    ],
    ids=["v1alpha1", "v1beta1"],
)
def test_the_roles_of_a_graph_that_others_deployed_are_read(
    spec: dict[str, Any], roles: dict[str, tuple[str, ...]]
) -> None:
    assert roles_in({"spec": spec}) == roles
