"""Secrets show that they have changed, and nothing else of them."""

from dataclasses import replace
from typing import Any

import pytest

from comparison.field_lines import resource_lines
from comparison.resources import compare
from comparison.secret_marks import marked
from tests.comparison.resources_of_tests import deployment, kubernetes_object, resource

_TOKEN, _OTHER = "hf_PlantedTokenOfATest", "hf_AnotherPlantedToken"
_VALUE = ("containers", 0, "env", 0, "value")


def _secret(token: str) -> Any:
    return kubernetes_object("v1", "Secret", "hf-token", stringData={"HF_TOKEN": token})


def _containers(token: str) -> list[dict[str, Any]]:
    return [{"name": "main", "image": "a:1", "env": [{"name": "TOKEN", "value": token}]}]


def _workload(token: str) -> Any:
    start = deployment(containers=_containers(token))
    return replace(start, secret_paths=frozenset({("spec", "template", "spec", *_VALUE)}))


def _role(token: str) -> Any:
    return resource("aws:iam/role:Role", "role", {"description": token})


_SIDES = {
    "a secret": (_secret(_TOKEN), _secret(_OTHER)),
    "a value in a list": (_workload(_TOKEN), _workload(_OTHER)),
    "a value in a part that is added": (deployment(containers=[]), _workload(_OTHER)),
    "what becomes known to be one": (
        _role(_TOKEN),
        replace(_role(_OTHER), secret_paths=frozenset({("description",)})),
    ),
}


@pytest.mark.parametrize("case", _SIDES)
def test_a_secret_that_changes_is_a_change_and_never_shown(case: str) -> None:
    before, after = _SIDES[case]
    [change] = compare([marked(before)], [marked(after)])
    shown = "\n".join(resource_lines(change))
    assert "a secret, which is not shown" in shown or "[secret " in shown
    assert _TOKEN not in shown
    assert _OTHER not in shown


def test_an_unchanged_secret_is_no_change() -> None:
    assert compare([marked(_secret(_TOKEN))], [marked(_secret(_TOKEN))]) == ()
