"""Whether a provider that is configured otherwise is still the same one."""

from dataclasses import replace
from typing import Any

import pytest

from comparison.changes import Operation
from comparison.resources import compare
from lab.kubernetes_provider import config_diff
from tests.comparison.resources_of_tests import kubernetes_object, resource, said, said_of, with_values


def _provider(**inputs: Any) -> Any:
    return resource("pulumi:providers:kubernetes", "cluster", inputs)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"clusterIdentifier": "a", "context": "x"}, {"clusterIdentifier": "a", "context": "y"}),
        ({"clusterIdentifier": "a"}, {"clusterIdentifier": "b"}),
        ({"clusterIdentifier": "a"}, {"clusterIdentifier": "a", "enablePatchForce": "true"}),
    ],
    ids=["context", "cluster", "option"],
)
def test_a_provider_is_replaced_where_the_labs_provider_says_so(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    (found,) = compare([_provider(**before)], [_provider(**after)])
    assert (found.operation is Operation.REPLACE) == bool(config_diff.diff(before, after).replaces)


def test_what_a_replaced_provider_made_is_replaced_with_it_and_nothing_of_it_is_refused() -> None:
    old, new = _provider(clusterIdentifier="x"), _provider(clusterIdentifier="y")
    domain = kubernetes_object("resource.nvidia.com/v1beta1", "ComputeDomain", "domain", spec={"numNodes": 0})
    before = replace(domain, provider=old.urn)
    assert said([old, before], [new, with_values(before, {"spec/numNodes": 2})]) == [
        "replaced: kubernetes cluster",
        "# Another clusterIdentifier is another cluster: everything in it is made again there.",
        "@@ clusterIdentifier (replaces) @@",
        "- x",
        "+ y",
        "replaced: ComputeDomain serving/domain",
        "# Its provider is replaced, and with it everything that it made.",
        "@@ spec.numNodes @@",
        "- 0",
        "+ 2",
    ]


def test_helm_upgrades_no_release_in_place_whose_provider_is_replaced() -> None:
    old, new = _provider(clusterIdentifier="x"), _provider(clusterIdentifier="y")
    before = replace(
        resource("kubernetes:helm.sh/v3:Release", "platform", {"version": "1"}), provider=old.urn
    )
    *_, release = compare([old, before], [new, with_values(before, {"version": "2"})])
    assert release.operation is Operation.REPLACE
    assert release.reasons == ("Its provider is replaced, and with it everything that it made.",)


def test_another_region_is_another_place_for_everything_in_the_account() -> None:
    account = resource("pulumi:providers:aws", "account", {"region": "us-east-1"})
    assert said_of(account, {"region": "us-west-2"}) == [
        "replaced: aws account",
        "# A provider works in one region: everything that it made is made again in the new one.",
        "@@ region (replaces) @@",
        "- us-east-1",
        "+ us-west-2",
    ]
