"""What the one reader of the cluster hears from an API server that is not a recording."""

import json

import pytest

from components.cluster_answer import CLAIMS, NODES, PODS, Kind, Said
from components.cluster_reader import ClusterReader
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.essential]


def test_a_real_server_tells_found_empty_absent_forbidden_and_unreachable_apart(lab: Sandbox) -> None:
    kubeconfig = lab.environment["KUBECONFIG"]
    config = json.loads(lab.kubectl("config", "view", "--raw", "--minify", "--output=json").stdout)
    context = config["current-context"]
    cluster = ClusterReader(context, kubeconfig)
    assert cluster.ask(NODES).said is Said.FOUND
    assert cluster.ask(CLAIMS, "model-cache", "gpt-oss").said is Said.EMPTY
    assert cluster.ask(PODS, namespace="gpt-oss").said is Said.EMPTY
    # No test of the shared cluster defines this kind. Dynamo's definitions outlive the stacks that make them.
    assert cluster.ask(Kind.of_definition("widgets.example.com"), "one", "gpt-oss").said is Said.ABSENT
    lab.kubectl("create", "serviceaccount", "nobody", "--namespace", "default")
    try:
        token = lab.kubectl("create", "token", "nobody", "--namespace", "default").stdout.strip()
        config["users"][0]["user"] = {"token": token}
        refused = ClusterReader(context, content=json.dumps(config)).ask(NODES)
    finally:
        lab.kubectl("delete", "serviceaccount", "nobody", "--namespace", "default")
    assert refused.said is Said.FORBIDDEN
    assert 'cannot list resource "nodes"' in refused.why
    config["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    assert ClusterReader(context, content=json.dumps(config)).ask(NODES).said is Said.UNREACHABLE
