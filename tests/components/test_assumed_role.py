"""The IAM role as which everything is done in the account and on the cluster."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from components.eks_cluster import kubeconfig
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings
from tests.support.recordings import recorded_stack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from resource_graph import ResourceGraph, Value
    from stacks.settings.cluster import EksClusterSettings


def test_a_role_that_is_assumed_reaches_account_and_cluster() -> None:
    settings = eks_b200_settings()
    graph = recorded_stack(resolved(settings))
    assert "assumeRoles" not in _account(graph)
    settings["cluster"]["assumeRole"] = "arn:aws:iam::123456789012:role/deployer"
    graph = recorded_stack(resolved(settings))
    [assumed] = json.loads(str(_account(graph)["assumeRoles"]))
    assert assumed == {"roleArn": "arn:aws:iam::123456789012:role/deployer"}


@pytest.mark.parametrize("role", [None, "arn:aws:iam::123456789012:role/deployer"])
def test_a_token_of_the_cluster_is_that_of_the_assumed_role(role: str | None) -> None:
    settings = cast("EksClusterSettings", SimpleNamespace(region="us-east-1", assume_role=role))
    [user] = json.loads(kubeconfig("one", "https://one", "LS0t", settings))["users"]
    asked = ["eks", "get-token", "--cluster-name", "one", "--region", "us-east-1"]
    assert user["user"]["exec"]["args"] == [*asked, *(["--role-arn", role] if role else [])]


def _account(graph: ResourceGraph) -> Mapping[str, Value]:
    """The inputs of the account's provider."""
    return next(each.inputs for each in graph.of_type("pulumi:providers:aws") if each.name == "account")
