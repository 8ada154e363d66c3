"""A model in a bucket, and the first `up` of a cluster in which no pod may read it."""

from typing import Any

from stacks.updates.deployed import Deployed
from stacks.updates.guards.refused_changes import refused_changes
from tests.stacks.updates.changes import state
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings

ADDRESS = "s3://models/gpt-oss-120b"


def _from_a_bucket(phase: str = "active", **cache: Any) -> dict[str, Any]:
    settings = eks_b200_settings()
    settings["model"] = {"source": {"kind": "s3", "address": ADDRESS}}
    settings["nodePools"][0]["purchase"]["phase"] = phase
    settings["modelCache"] |= cache
    return settings


def test_the_first_up_of_a_cluster_copies_nothing_from_a_bucket() -> None:
    [problem] = refused_changes(resolved(_from_a_bucket()), Deployed(), None)
    assert problem.text("Pulumi.own.yaml") == (
        "Pulumi.own.yaml: model.source.kind = 's3'\n"
        "  nothing gives service account default of a cluster that is yet to be made a role that reads "
        f"{ADDRESS}\n"
        "  try: a stack of layers: [infrastructure] first, then `aws eks create-pod-identity-association "
        "--cluster-name gpt-oss --namespace gpt-oss --service-account default --role-arn ROLE`, then this "
        "stack on it (docs/model-cache.md#a-bucket)"
    )


def test_a_cluster_that_is_there_may_have_been_given_the_role() -> None:
    settings = _from_a_bucket()
    assert refused_changes(resolved(settings), state(settings), None) == ()


def test_the_role_can_be_given_while_copies_on_the_nodes_wait_for_a_window() -> None:
    settings = _from_a_bucket("waiting", storage={"kind": "instanceStore"})
    assert refused_changes(resolved(settings), Deployed(), None) == ()


def test_a_stack_that_makes_the_cluster_alone_copies_nothing() -> None:
    settings = _from_a_bucket() | {"layers": ["infrastructure"]}
    assert refused_changes(resolved(settings), Deployed(), None) == ()


def test_the_hub_needs_no_role() -> None:
    settings = eks_b200_settings()
    settings["nodePools"][0]["purchase"]["phase"] = "active"
    assert refused_changes(resolved(settings), Deployed(), None) == ()
