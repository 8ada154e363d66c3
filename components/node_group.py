"""A managed node group: equal nodes of one launch template."""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_aws as aws

from components.options import Resources, child
from stacks.plan.infrastructure.node_template import capacity_type
from stacks.settings.cluster import CapacityBlock, EksClusterSettings, Purchase, Reservation

_TIMEOUT = "60m"


class NodeGroup(pulumi.ComponentResource):
    """Nodes of one type, and how they were bought.

    Args:
        title: of the group and of all that is made for it.
        template: what its nodes are made of.
        purchase: how they are paid for.
        cluster: the settings of the cluster; its release of Kubernetes is the group's, because one that names
            none stays at the release that it was made with.
        ami_release: the release of the image; None: EKS chooses.
        tags: of the group, not of its nodes.
        sets_size: bring a group that exists to its size; False: leave as many nodes as the account has now.
        scarce: no machine is to spare: an update ends an old node before it launches a new one.
        taints: in EKS's words.
        makes_placement_group: one that brings the nodes close to each other is made with the group, and has
            its name. That of a reservation was made before it, and a capacity block places its own.

    """

    group: aws.eks.NodeGroup

    def __init__(
        self,
        name: str,
        cluster: EksClusterSettings,
        *,
        title: str,
        template: Mapping[str, Any],
        purchase: Purchase,
        cluster_name: pulumi.Input[str],
        role_arn: pulumi.Input[str],
        subnet_ids: Sequence[pulumi.Input[str]],
        security_group_ids: Sequence[pulumi.Input[str]],
        ami_type: str,
        ami_release: str | None,
        nodes: int,
        labels: Mapping[str, str],
        tags: Mapping[str, str],
        sets_size: bool,
        scarce: bool = False,
        taints: Sequence[aws.eks.NodeGroupTaintArgsDict] = (),
        makes_placement_group: bool = False,
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        inputs = {"instanceType": template["instance_type"], "nodes": nodes}
        super().__init__("dynamo-stack:components:NodeGroup", name, inputs, opts)
        inside = child(self)
        # A reservation that was made outside a cluster placement group cannot be used in one, and one made
        # inside cannot be used outside (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html).
        placement: pulumi.Input[str] | None = (
            purchase.placement_group if isinstance(purchase, Reservation) else None
        )
        if makes_placement_group:
            placement = aws.ec2.PlacementGroup(
                f"{name}-placement", name=title, strategy="cluster", opts=inside
            ).name
        groups = list(security_group_ids)
        interfaces = [{**each, "security_groups": groups} for each in template["network_interfaces"]]
        # It names no subnet, no disk size of the node group and no remote access: EKS refuses a template that
        # does (https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html).
        launched = aws.ec2.LaunchTemplate(
            f"{name}-template",
            name=title,
            update_default_version=True,
            placement={"group_name": placement} if placement is not None else None,
            **{**template, "network_interfaces": interfaces},
            opts=inside,
        )
        block = purchase if isinstance(purchase, CapacityBlock) else None
        launches = block is None or block.phase == "active"
        self.group = aws.eks.NodeGroup(
            name,
            node_group_name=title,
            cluster_name=cluster_name,
            node_role_arn=role_arn,
            subnet_ids=list(subnet_ids),
            ami_type=ami_type,
            version=cluster.version,
            release_version=ami_release,
            capacity_type=capacity_type(purchase),
            launch_template={"id": launched.id, "version": launched.latest_version.apply(str)},
            scaling_config={
                "min_size": 0,
                "max_size": nodes,
                # Before the window opens every launch fails, and EKS logs it until one succeeds.
                "desired_size": nodes if launches else 0,
            },
            # By default EKS launches a new node before it ends an old one
            # (https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html).
            update_config={"max_unavailable": 1, "update_strategy": "MINIMAL"}
            if scarce
            else {"max_unavailable": 1},
            node_repair_config={"enabled": True} if cluster.node_repair else None,
            labels=dict(labels),
            taints=list(taints),
            tags=dict(tags) or None,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=depends_on,
                # The scheduled action, EKS before a block ends, and a person on call change it too.
                ignore_changes=None if sets_size else ["scalingConfig.desiredSize"],
                # The name and the GPUs are the old group's until it is gone. Were it left to the provider, an
                # `up` that goes back after a refused replacement would make the group and then delete it as
                # the old one (pulumi/pulumi#16629).
                delete_before_replace=True,
                custom_timeouts=pulumi.CustomTimeouts(create=_TIMEOUT, update=_TIMEOUT, delete=_TIMEOUT),
            ),
        )
        if block is not None and block.phase == "waiting":
            aws.autoscaling.Schedule(
                f"{name}-window-opens",
                scheduled_action_name="capacity-block-opens",
                autoscaling_group_name=self.group.resources[0].autoscaling_groups[0].name,
                start_time=block.starts,
                min_size=0,
                max_size=nodes,
                desired_capacity=nodes,
                opts=child(self),
            )
        self.register_outputs({"nodeGroupName": title})
