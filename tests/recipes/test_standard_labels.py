"""Kubernetes' recommended labels on the pods of a graph."""

import re

from hypothesis import given
from hypothesis import strategies as st

from recipes.graph_manifest import graph_spec
from recipes.server_manifest import server_deployment
from recipes.standard_labels import label_value
from tests.support.placed_recipes import DISAGGREGATED, placed_recipe
from tests.support.shipped_stacks import served_stack

_PREFIX = "app.kubernetes.io/"
_VALID = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?")
"""kubernetes/apimachinery pkg/util/validation, labelValueFmt and LabelValueMaxLength."""


def _shown(labels: dict[str, str]) -> dict[str, str]:
    return {key.removeprefix(_PREFIX): value for key, value in labels.items() if key.startswith(_PREFIX)}


def test_pods_of_a_graph_say_what_they_are_part_of_as_the_guide_looks_for_them() -> None:
    placed = placed_recipe(DISAGGREGATED, instance="disagg-b200-tcp")
    seen = {
        each["name"]: _shown(each["podTemplate"]["metadata"]["labels"])
        for each in graph_spec(placed, "files")["components"]
    }
    assert {name: labels["component"] for name, labels in seen.items()} == {
        "Frontend": "frontend",
        "TrtllmPrefillWorker": "prefill",
        "TrtllmDecodeWorker": "decode",
    }
    for labels in seen.values():
        del labels["component"]
        assert labels == {
            "name": "gpt-oss-120b",
            "instance": "disagg-b200-tcp",
            "part-of": "gpt-oss-disagg",
            "managed-by": "pulumi",
            "version": "1.2.1",
        }


def test_the_pods_of_a_server_without_dynamo_have_them_beside_those_that_find_them() -> None:
    placed = served_stack("latency-b200").serving.placed
    labels = server_deployment(placed, "files")["template"]["metadata"]["labels"]
    assert _shown(labels)["part-of"] == placed.graph_name
    assert _shown(labels)["component"] == "worker"
    assert labels["nvidia.com/dynamo-graph-deployment-name"] == placed.graph_name


@given(st.text())
def test_a_label_is_valid_whatever_the_text(text: str) -> None:
    assert _VALID.fullmatch(label_value(text))
