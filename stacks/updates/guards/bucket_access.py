"""Refuses to copy the model from a bucket in the `up` that makes the cluster: no pod may read it yet."""

from collections.abc import Iterator

from recipes.model_download import S3Copy
from stacks.errors import Problem
from stacks.plan.cache_plan import ExistingVolume
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.deployed import Deployed

_GUIDE = "docs/model-cache.md#a-bucket"


def bucket_problems(stack: StackPlan, before: Deployed) -> Iterator[Problem]:
    """Yield that the copy would fail: nodes keep their role from pods, and pods have none of their own."""
    cache, cluster = stack.cache, stack.infrastructure
    if cluster is None or before.node_groups or not stack.layers.owns("serving"):
        return
    if isinstance(cache, ExistingVolume) or not isinstance(cache.source, S3Copy):
        return
    if cache.nodes is not None and waited_for(stack):
        # Nothing is copied before there are GPU nodes.
        return
    account = cache.source.service_account_name or "default"
    yield Problem(
        "model.source.kind",
        "s3",
        f"nothing gives service account {account} of a cluster that is yet to be made a role that reads "
        f"{cache.source.address}",
        suggestion=(
            f"a stack of layers: [infrastructure] first, then `aws eks create-pod-identity-association "
            f"--cluster-name {cluster.cluster.name} --namespace {stack.serving.namespace} --service-account "
            f"{account} --role-arn ROLE`, then this stack on it ({_GUIDE})"
        ),
    )
