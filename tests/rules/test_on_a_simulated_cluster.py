"""What the rules say in the API server's words, asked of a real one."""

import functools
import json
import operator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.custom_resources import GRAPH_VERSIONS, custom_resource_definition
from resource_graph import Resource, ResourceGraph
from rules.reading.objects.judged import read_mistakes
from rules.reading.releases import platform_resource
from tests.lab.fixtures.graphs import toy_graph
from tests.rules.bases import BASES
from tests.rules.case import RULE, base_text, failed, judge_case
from tests.rules.cases import structure, structure_amounts, structure_pods
from tests.rules.cases.structure import VALUES
from tests.rules.edits import edited
from tests.support.sandbox import Sandbox
from tests.support.waiting import until

pytestmark = pytest.mark.lab

REFUSED = [
    case
    for case in (*structure.CASES, *structure_amounts.CASES, *structure_pods.CASES)
    if (case.rule, case.base) == (VALUES, "vllm-serve") and case.found == failed(VALUES, "vllm-serve")
]


def test_the_api_server_refuses_a_workload_in_the_words_of_the_finding(
    lab: Sandbox, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, case in enumerate(REFUSED):
        with subtests.test(case.name):
            folder = tmp_path / str(number)
            folder.mkdir()
            findings = judge_case(case, folder, BASES[case.base], RULE[VALUES]).findings
            words = [each.observation.message.partition("the API server: ")[2] for each in findings]
            text = edited(base_text(case.base, BASES[case.base]), case.edits)
            kinds = {"Deployment", "Service", "HorizontalPodAutoscaler"}
            objects = [each for each in yaml.safe_load_all(text) if each["kind"] in kinds]
            for each in objects:
                each["metadata"]["namespace"] = "default"
            command = ("create", "--dry-run=server", "-f", "-")
            refused = lab.kubectl(*command, stdin=yaml.safe_dump_all(objects), check=False)
            assert refused.returncode != 0
            assert words
            assert all(each in refused.stderr for each in words)


WRONG: tuple[tuple[str, Any], ...] = (
    ("extraPodSpec.tollerations", []),
    ("replicsa", 1),
    ("replicas", "1"),
    ("replicas", -1),
    ("resources", {"limits": {"gpu": 4}}),
    ("extraPodSpec.mainContainer.resources", {"limits": {"cpu": 0.5}}),
    ("extraPodSpec.mainContainer.env", [{"name": "A", "value": 1}]),
    ("envs", [{"value": "1"}]),
    ("volumeMounts", "none"),
    ("multinode", {"nodeCount": 1.5}),
    ("annotations", {"a": True}),
    ("gpuMemoryService", {"enabled": True, "mode": "both"}),
)
"""Where it stands in a service, and what an API server does not take there."""


@pytest.fixture
def graphs(own_lab: Sandbox) -> Sandbox:
    """A cluster that knows graphs of the 1.2 line, and no operator."""
    kind = custom_resource_definition("dynamographdeployment", "dynamo-1.2", *GRAPH_VERSIONS)
    name = kind["metadata"]["name"]
    own_lab.kubectl("create", "-f", "-", stdin=json.dumps(kind))
    until(lambda: own_lab.kubectl("get", name, check=False).returncode == 0, "the kind", 30)
    return own_lab


def test_the_api_server_refuses_a_graph_in_the_words_of_the_finding(graphs: Sandbox) -> None:
    for path, value in WRONG:
        graph = toy_graph()
        *steps, last = path.split(".")
        functools.reduce(operator.getitem, steps, graph["spec"]["services"]["Decode"])[last] = value
        resource = Resource(urn="graph", type="graph", name="graph", inputs=graph)
        (judged,) = read_mistakes(ResourceGraph([platform_resource("1.2.1"), resource]))
        sent = json.dumps(graph | {"metadata": {"name": "toy", "namespace": "default"}})
        refused = graphs.kubectl("create", "--dry-run=server", "-f", "-", stdin=sent, check=False)
        assert refused.returncode != 0, path
        assert judged.mistake.says in refused.stderr
