"""Helm releases, whose charts are not part of a recording."""

from __future__ import annotations

from comparison.changes import Operation
from tests.comparison.resources_of_tests import changed, effects, resource, said

_RELEASE = resource(
    "kubernetes:helm.sh/v3:Release",
    "platform",
    {
        "chart": "platform",
        "name": "platform",
        "namespace": "system",
        "version": "1.2.1",
        "values": {"a": {"b": 1}},
    },
)


def test_a_value_upgrades_the_release_in_place_and_what_restarts_is_not_known() -> None:
    found = changed(_RELEASE, lambda inputs: inputs["values"]["a"].update(b=2))
    assert (found.title, found.operation) == ("Release platform", Operation.UPDATE)
    assert said(found.fields) == ["values a b: 1 -> 2"]
    assert found.reasons == (
        "Helm upgrades it in place; which of the chart's objects change or restart is not compared.",
    )


def test_another_chart_version_is_an_upgrade() -> None:
    found = changed(_RELEASE, lambda inputs: inputs.update(version="1.4.2"))
    assert effects(found) == {"version": "in place"}


def test_another_namespace_is_another_release_beside_the_old_one() -> None:
    found = changed(_RELEASE, lambda inputs: inputs.update(namespace="other"))
    assert (found.operation, found.deletes_first) == (Operation.REPLACE, False)
    assert found.reasons == ("Helm cannot change namespace of a release.",)
