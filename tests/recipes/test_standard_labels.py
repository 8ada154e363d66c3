"""Kubernetes' recommended labels on the pods of a graph."""

import re

from hypothesis import given
from hypothesis import strategies as st

from recipes.graph_manifest import graph_spec
from recipes.standard_labels import label_value
from tests.support.placed_recipes import DISAGGREGATED, placed_recipe

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


@given(st.text())
def test_a_label_is_valid_whatever_the_text(text: str) -> None:
    assert _VALID.fullmatch(label_value(text))
