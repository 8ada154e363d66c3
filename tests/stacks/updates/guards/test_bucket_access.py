"""A model in a bucket, and the first `up` of a cluster in which no pod may read it."""

import pytest

from stacks.updates.deployed import Deployed
from stacks.updates.guards.refused_changes import refused_changes
from tests.stacks.changed_settings import Settings, changed, phase
from tests.stacks.updates.changes import state
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings

ADDRESS = "s3://models/gpt-oss-120b"
FROM_A_BUCKET = changed(eks_b200_settings(), {"model": {"source": {"kind": "s3", "address": ADDRESS}}})
ON_EACH_NODE = {"modelCache.storage": {"kind": "instanceStore"}}


def test_the_first_up_of_a_cluster_copies_nothing_from_a_bucket() -> None:
    [problem] = refused_changes(resolved(FROM_A_BUCKET), Deployed(), None)
    assert problem.text("Pulumi.own.yaml") == (
        "Pulumi.own.yaml: model.source.kind = 's3'\n"
        "  nothing gives service account default of a cluster that is yet to be made a role that reads "
        f"{ADDRESS}\n"
        "  try: a stack of layers: [infrastructure] first, then `aws eks create-pod-identity-association "
        "--cluster-name gpt-oss --namespace gpt-oss --service-account default --role-arn ROLE`, then this "
        "stack on it (docs/model-cache.md#a-bucket)"
    )


@pytest.mark.parametrize(
    ("settings", "is_made"),
    [
        pytest.param(FROM_A_BUCKET, True, id="a cluster that is there, with the role or not"),
        pytest.param(
            changed(FROM_A_BUCKET, phase("waiting"), ON_EACH_NODE), False, id="nodes that are yet to come"
        ),
        pytest.param(FROM_A_BUCKET | {"layers": ["infrastructure"]}, False, id="no serving layer"),
        pytest.param(eks_b200_settings(), False, id="the hub"),
    ],
)
def test_a_role_that_may_be_there_or_can_be_given_first_is_not_asked_for(
    settings: Settings, is_made: bool
) -> None:
    before = state(settings) if is_made else Deployed()
    assert refused_changes(resolved(settings), before, None) == ()
