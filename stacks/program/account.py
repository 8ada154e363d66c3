"""What the program asks AWS: who makes the cluster, and whether nodes of a Capacity Block have come."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import pulumi
import pulumi_aws as aws
from pulumi.output import UNKNOWN

from stacks.errors import SettingsError
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.updates.deployed_nodes import DeployedNodes, logical_name, node_changes
from stacks.updates.guards.refused_changes import running_block_problems
from stacks.updates.running import Running


def principal(running: Running | None, account: aws.Provider) -> pulumi.Input[str] | None:
    """Return the ARN of who made the cluster, or makes it now; None where EKS has made the entry itself.

    Without a state, `running` is None, there is no account either that could say it.

    Raises:
        pulumi.RunError: AWS does not say who runs this.

    """
    if running is None:
        return pulumi.Output.from_input(cast("str", UNKNOWN))
    if running.creator is not None or running.entered_by_eks:
        return running.creator
    options = pulumi.InvokeOptions(provider=account)
    arn = aws.get_caller_identity(opts=options).arn
    try:
        # A session's ARN names its role without the role's path, which the entry needs.
        return aws.iam.get_session_context(arn=arn, opts=options).issuer_arn
    except Exception as error:
        # The SDK raises nothing more precise than Exception for an invoke that failed.
        raise pulumi.RunError(
            f"AWS does not say which role {arn} is a session of: {error}\n"
            "  try: let these credentials iam:GetRole that role; its ARN, with its path, enters the cluster"
        ) from None


_GONE = re.compile(r"ResourceNotFoundException|couldn't find resource")
"""hashicorp/terraform-provider-aws internal/service/eks/node_group.go, findNodegroup."""


def refuse_filled_blocks(plan: EksPlan, before: Mapping[str, DeployedNodes], account: aws.Provider) -> None:
    """Refuse to exchange nodes that have come with a block's window since the last run.

    Raises:
        pulumi.RunError: they run, or AWS does not say whether they do.

    """
    unseen = (each for each in node_changes(plan, before) if each.before.waited and not each.running)
    live = {
        logical_name(each.nodes): replace(each.before, running=_size(plan.cluster.name, each.before, account))
        for each in unseen
    }
    problems = running_block_problems(plan, live)
    if problems:
        raise pulumi.RunError(str(SettingsError({f"Pulumi.{pulumi.get_stack()}.yaml": problems})))


def _size(cluster: str, group: DeployedNodes, account: aws.Provider) -> int:
    options, name = pulumi.InvokeOptions(provider=account), str(group.group.get("nodeGroupName") or "")
    try:
        found = aws.eks.get_node_group(cluster, name, opts=options)
    except Exception as error:
        # The SDK raises nothing more precise than Exception for an invoke that failed.
        if _GONE.search(str(error)):
            return 0
        raise pulumi.RunError(
            f"EKS does not say whether nodes of the Capacity Block run in {name}; this change "
            f"would exchange them: {error}\n  try: let these credentials eks:DescribeNodegroup it"
        ) from None
    return max((size.desired_size for size in found.scaling_configs), default=0)
