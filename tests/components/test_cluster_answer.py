"""What the one reader of the cluster makes of an API server's answers, each as a real one words it."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest

from components.cluster_answer import CLAIMS, PODS, Answer, Kind, Said
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_OBJECTS, GRAPHS
from tests.support.clusters import api_server, kubeconfig_of

if TYPE_CHECKING:
    from pathlib import Path

NO_PAGE = (404, "404 page not found\n")
DEFINITION = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{GRAPHS}"
OLD_GRAPHS = "/apis/nvidia.com/v1alpha1/namespaces/gpt-oss/dynamographdeployments"
STORED = {"spec": {"versions": [{"name": "v1beta1"}, {"name": "v1alpha1", "storage": True}]}}


def _status(code: int, reason: str, message: str, **details: str) -> tuple[int, dict[str, Any]]:
    return code, {"kind": "Status", "reason": reason, "message": message, "code": code, "details": details}


FORBIDDEN = _status(
    403, "Forbidden", 'pods is forbidden: User "viewer" cannot list resource "pods"', kind="pods"
)


def _asked(
    folder: Path,
    answers: dict[str, tuple[int, object]],
    kind: Kind,
    name: str = "",
    namespace: str = "gpt-oss",
) -> Answer:
    with api_server(answers, folder) as cluster:
        return cluster.ask(kind, name, namespace)


def test_objects_that_are_there_are_found_by_kind_and_by_name(tmp_path: Path) -> None:
    pod = {"metadata": {"name": "decode-0"}}
    pods = "/api/v1/namespaces/gpt-oss/pods"
    answers = {pods: (200, {"kind": "PodList", "items": [pod]}), f"{pods}/decode-0": (200, pod)}
    assert _asked(tmp_path, answers, PODS) == Answer(Said.FOUND, [pod])
    assert _asked(tmp_path, answers, PODS, "decode-0").first == pod


def test_an_object_that_is_not_there_and_an_empty_list_are_answers(tmp_path: Path) -> None:
    claims = "/api/v1/namespaces/gpt-oss/persistentvolumeclaims"
    gone = _status(404, "NotFound", "not found", name="model-cache", kind="persistentvolumeclaims")
    answers = {claims: (200, {"items": []}), f"{claims}/model-cache": gone}
    for name in ("", "model-cache"):
        answer = _asked(tmp_path, answers, CLAIMS, name)
        assert (answer.said, answer.is_known, answer.first) == (Said.EMPTY, True, None)


@pytest.mark.parametrize(
    "definition",
    [NO_PAGE, _status(404, "NotFound", "not found", name=GRAPHS)],
    ids=["no-group", "no-definition"],
)
def test_a_kind_without_its_definition_is_absent_and_not_empty(
    tmp_path: Path, definition: tuple[int, object]
) -> None:
    answer = _asked(tmp_path, {DEFINITION: definition}, GRAPH_OBJECTS, "graph")
    assert (answer.said, answer.is_known) == (Said.ABSENT, True)


def test_a_graph_is_read_at_the_version_that_is_stored(tmp_path: Path) -> None:
    graph = {"metadata": {"name": "graph"}}
    answers = {DEFINITION: (200, STORED), f"{OLD_GRAPHS}/graph": (200, graph)}
    assert _asked(tmp_path, answers, GRAPH_OBJECTS, "graph").first == graph


def test_somebody_who_may_read_no_definitions_reads_the_version_that_is_preferred(tmp_path: Path) -> None:
    group = {"kind": "APIGroup", "preferredVersion": {"version": "v1alpha1"}}
    answers = {DEFINITION: FORBIDDEN, "/apis/nvidia.com": (200, group), OLD_GRAPHS: (200, {"items": []})}
    assert _asked(tmp_path, answers, GRAPH_OBJECTS).said is Said.EMPTY
    del answers["/apis/nvidia.com"]
    assert _asked(tmp_path, answers, GRAPH_OBJECTS).said is Said.ABSENT


def test_a_refusal_is_not_taken_for_nothing_and_tells_the_servers_words(tmp_path: Path) -> None:
    answer = _asked(tmp_path, {"/api/v1/namespaces/gpt-oss/pods": FORBIDDEN}, PODS)
    assert (answer.said, answer.is_known) == (Said.FORBIDDEN, False)
    assert answer.why == 'pods is forbidden: User "viewer" cannot list resource "pods"'
    unauthorized = _status(401, "Unauthorized", "Unauthorized")
    assert _asked(tmp_path, {"/api/v1/namespaces/gpt-oss/pods": unauthorized}, PODS).said is Said.FORBIDDEN


@pytest.mark.parametrize("answer", [_status(500, "InternalError", "etcd timed out"), (200, "<html>")])
def test_an_error_of_the_servers_is_no_answer(tmp_path: Path, answer: tuple[int, object]) -> None:
    found = _asked(tmp_path, {"/api/v1/namespaces/gpt-oss/pods": answer}, PODS)
    assert (found.said, found.is_known) == (Said.UNREACHABLE, False)


def test_a_server_that_is_not_there_is_unreachable_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # A proxy for charts and models never carries what goes to this machine.
    monkeypatch.setenv("HTTP_PROXY", "http://192.0.2.1:3128")
    answer = ClusterReader("there", kubeconfig_of(tmp_path, port), seconds=30).ask(PODS)
    assert answer.said is Said.UNREACHABLE
    assert f"port={port}" in answer.why
    assert "planted" not in answer.why


def test_a_kubeconfig_that_leads_nowhere_is_no_answer_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ClusterReader("other", kubeconfig_of(tmp_path, 1)).ask(PODS).said is Said.UNREACHABLE
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    assert ClusterReader("there").ask(PODS).said is Said.UNREACHABLE
    # Of a cluster that is still to be made.
    assert ClusterReader("there", content="").ask(PODS).said is Said.UNREACHABLE


def test_a_kubeconfig_that_is_in_no_file_is_read_as_one_that_is(tmp_path: Path) -> None:
    with api_server({"/api/v1/pods": (200, {"items": []})}, tmp_path) as cluster:
        content = (tmp_path / str(cluster.kubeconfig)).read_text()
        assert ClusterReader("there", content=content).ask(PODS).said is Said.EMPTY
