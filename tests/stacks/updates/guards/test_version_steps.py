"""EKS brings a cluster one minor version further at a time."""

from typing import Any

import pytest

from stacks.updates.guards.refused_changes import refused_changes
from tests.stacks.updates.changes import state
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings


def _version(version: str) -> dict[str, Any]:
    settings = eks_b200_settings()
    settings["cluster"]["version"] = version
    settings["nodePools"][0]["purchase"]["phase"] = "waiting"
    return settings


def test_two_minor_versions_at_once_are_refused_with_the_one_between() -> None:
    [problem] = refused_changes(resolved(_version("1.36")), state(_version("1.34")), None)
    assert problem.text("Pulumi.own.yaml") == (
        "Pulumi.own.yaml: cluster.version = '1.36'\n"
        "  the cluster runs 1.34, and EKS passes over no minor version\n"
        '  try: "1.35", and `pulumi up`; then "1.36"'
    )


@pytest.mark.parametrize("version", ["1.34", "1.35"])
def test_the_same_version_and_the_next_one_are_taken(version: str) -> None:
    assert refused_changes(resolved(_version(version)), state(_version("1.34")), None) == ()


def test_a_cluster_that_is_not_there_yet_begins_with_any_version() -> None:
    before = state(_version("1.34"))
    assert before.node_groups
    none = type(before)()
    assert refused_changes(resolved(_version("1.36")), none, None) == ()
