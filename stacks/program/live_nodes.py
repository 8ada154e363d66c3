"""Asks EKS for the nodes of a Capacity Block that may have come since the state was written."""

import re
from collections.abc import Mapping
from dataclasses import replace

import pulumi
import pulumi_aws as aws

from stacks.errors import SettingsError
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.updates.deployed_nodes import DeployedNodes
from stacks.updates.guards.refused_changes import running_block_problems

_GONE = re.compile(r"ResourceNotFoundException|couldn't find resource")
"""hashicorp/terraform-provider-aws internal/service/eks/node_group.go, findNodegroup."""


def refuse_filled_blocks(plan: EksPlan, unseen: Mapping[str, DeployedNodes], account: aws.Provider) -> None:
    """Refuse to exchange nodes that have come with a block's window.

    Raises:
        pulumi.RunError: they run, or AWS does not say whether they do.

    """
    live = {
        name: replace(group, running=_size(plan.cluster.name, group, account))
        for name, group in unseen.items()
    }
    problems = running_block_problems(plan, live)
    if problems:
        raise pulumi.RunError(str(SettingsError({f"Pulumi.{pulumi.get_stack()}.yaml": problems})))


def _size(cluster: str, group: DeployedNodes, account: aws.Provider) -> int:
    options = pulumi.InvokeOptions(provider=account)
    try:
        found = aws.eks.get_node_group(cluster, group.name, opts=options)
    except Exception as error:
        # The SDK raises nothing more precise than Exception for an invoke that failed.
        if _GONE.search(str(error)):
            return 0
        raise pulumi.RunError(
            f"EKS does not say whether nodes of the Capacity Block run in {group.name}; this change "
            f"would exchange them: {error}\n  try: let these credentials eks:DescribeNodegroup it"
        ) from None
    return max((size.desired_size for size in found.scaling_configs), default=0)
