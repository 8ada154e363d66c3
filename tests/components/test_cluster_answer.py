"""What the one reader of the cluster makes of an API server's answers, each as a real one words it."""

import socket
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.cluster_answer import CLAIMS, PODS, Answer, Kind, Said
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_OBJECTS, GRAPHS
from tests.support.clusters import api_server, kubeconfig_of

DEFINITION = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{GRAPHS}"
OLD_GRAPHS = "/apis/nvidia.com/v1alpha1/namespaces/gpt-oss/dynamographdeployments"
STORED = {"spec": {"versions": [{"name": "v1beta1"}, {"name": "v1alpha1", "storage": True}]}}
GROUP = {"kind": "APIGroup", "preferredVersion": {"version": "v1alpha1"}}
PODS_PATH = "/api/v1/namespaces/gpt-oss/pods"
CLAIMS_PATH = "/api/v1/namespaces/gpt-oss/persistentvolumeclaims"
POD = {"metadata": {"name": "decode-0"}}
GRAPH = {"metadata": {"name": "graph"}}
NUMBER_AS_SERVER = """
clusters: [{name: c, cluster: {server: 5}}]
contexts: [{name: there, context: {cluster: c, user: u}}]
current-context: there
users: [{name: u, user: {}}]
"""
VIEWER = 'pods is forbidden: User "viewer" cannot list resource "pods"'


def _status(code: int, reason: str, message: str, **details: str) -> tuple[int, dict[str, Any]]:
    return code, {"kind": "Status", "reason": reason, "message": message, "code": code, "details": details}


NO_PAGE = (404, "404 page not found\n")
FORBIDDEN = _status(403, "Forbidden", VIEWER, kind="pods")
NO_CLAIM = _status(404, "NotFound", "not found", name="model-cache", kind="persistentvolumeclaims")
NO_DEFINITION = _status(404, "NotFound", "not found", name=GRAPHS)
_ANSWERS: dict[str, tuple[dict[str, tuple[int, object]], Kind, str, Answer]] = {
    "found by kind": ({PODS_PATH: (200, {"items": [POD]})}, PODS, "", Answer(Said.FOUND, [POD])),
    "found by name": ({f"{PODS_PATH}/decode-0": (200, POD)}, PODS, "decode-0", Answer(Said.FOUND, [POD])),
    "an empty list": ({CLAIMS_PATH: (200, {"items": []})}, CLAIMS, "", Answer(Said.EMPTY, [])),
    "no object of the name": (
        {f"{CLAIMS_PATH}/model-cache": NO_CLAIM},
        CLAIMS,
        "model-cache",
        Answer(Said.EMPTY),
    ),
    "a kind of no group is absent and not empty": (
        {DEFINITION: NO_PAGE},
        GRAPH_OBJECTS,
        "graph",
        Answer(Said.ABSENT),
    ),
    "a kind without its definition is absent and not empty": (
        {DEFINITION: NO_DEFINITION},
        GRAPH_OBJECTS,
        "graph",
        Answer(Said.ABSENT),
    ),
    "a graph at the version that is stored": (
        {DEFINITION: (200, STORED), f"{OLD_GRAPHS}/graph": (200, GRAPH)},
        GRAPH_OBJECTS,
        "graph",
        Answer(Said.FOUND, [GRAPH]),
    ),
    "at the preferred version for who may read no definitions": (
        {DEFINITION: FORBIDDEN, "/apis/nvidia.com": (200, GROUP), OLD_GRAPHS: (200, {"items": [GRAPH]})},
        GRAPH_OBJECTS,
        "",
        Answer(Said.FOUND, [GRAPH]),
    ),
    "absent for who may read no definitions": (
        {DEFINITION: FORBIDDEN},
        GRAPH_OBJECTS,
        "",
        Answer(Said.ABSENT),
    ),
    "a refusal in the server's words": ({PODS_PATH: FORBIDDEN}, PODS, "", Answer(Said.FORBIDDEN, why=VIEWER)),
    "nobody": (
        {PODS_PATH: _status(401, "Unauthorized", "Unauthorized")},
        PODS,
        "",
        Answer(Said.FORBIDDEN, why="the credentials are refused: Unauthorized"),
    ),
    "an error of the server": (
        {PODS_PATH: _status(500, "InternalError", "etcd timed out")},
        PODS,
        "",
        Answer(Said.UNREACHABLE, why="the API server answers etcd timed out"),
    ),
    "no JSON": (
        {PODS_PATH: (200, "<html>")},
        PODS,
        "",
        Answer(Said.UNREACHABLE, why="the API server answers status 200"),
    ),
}


@pytest.mark.parametrize("case", _ANSWERS)
def test_absent_empty_forbidden_and_unreachable_are_told_apart(case: str, tmp_path: Path) -> None:
    answers, kind, name, expected = _ANSWERS[case]
    with api_server(answers, tmp_path) as cluster:
        answer = cluster.ask(kind, name, "gpt-oss")
    assert answer == expected
    # A refusal and silence are not taken for nothing.
    assert answer.is_known is (answer.said in {Said.FOUND, Said.EMPTY, Said.ABSENT})


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
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    other_context = ClusterReader("other", kubeconfig_of(tmp_path, 1))
    # The last is of a cluster that is still to be made.
    for cluster in (other_context, ClusterReader("there"), ClusterReader("there", content="")):
        assert cluster.ask(PODS).said is Said.UNREACHABLE
    assert "context" in other_context.ask(PODS).why


@pytest.mark.parametrize("content", ["- a\n", NUMBER_AS_SERVER])
def test_a_file_of_another_form_is_no_answer_either(tmp_path: Path, content: str) -> None:
    file = tmp_path / "config"
    file.write_text(content)
    assert ClusterReader("there", str(file)).ask(PODS).said is Said.UNREACHABLE


def test_a_program_of_the_kubeconfig_that_is_not_there_is_named_and_the_server_not_asked(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = "{apiVersion: client.authentication.k8s.io/v1, command: no-such-program}"
    with api_server({"/api/v1/pods": (401, {"message": "Unauthorized"})}, tmp_path) as cluster:
        content = (tmp_path / str(cluster.kubeconfig)).read_text()
        config = yaml.safe_load(content)
        config["users"][0]["user"] = {"exec": yaml.safe_load(program)}
        answer = ClusterReader("there", content=yaml.safe_dump(config)).ask(PODS)
    assert answer.said is Said.UNREACHABLE
    assert "its program that brings a token failed" in answer.why
    assert "no-such-program" in answer.why
    assert capfd.readouterr().err == ""


def test_a_kubeconfig_that_is_in_no_file_is_read_as_one_that_is(tmp_path: Path) -> None:
    with api_server({"/api/v1/pods": (200, {"items": []})}, tmp_path) as cluster:
        content = (tmp_path / str(cluster.kubeconfig)).read_text()
        assert ClusterReader("there", content=content).ask(PODS).said is Said.EMPTY
