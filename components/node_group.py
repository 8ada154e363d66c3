"""A managed node group: equal nodes of one launch template."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from components.node_template import NodeTemplate, capacity_type, template_content
from components.options import Resources, child
from stacks.settings.purchase import CapacityBlock

_TIMEOUT = "60m"


@dataclass(frozen=True, slots=True)
class Taint:
    """Keeps pods without a toleration away."""

    key: str
    value: str
    effect: str
    """Taint effect in EKS's words: NO_SCHEDULE, NO_EXECUTE or PREFER_NO_SCHEDULE."""


@dataclass(frozen=True, slots=True)
class NewPlacement:
    """A cluster placement group that is made with the node group and has its name."""


@dataclass(frozen=True, slots=True)
class ExistingPlacement:
    """A cluster placement group that was made before, with the reservation in it."""

    name: str


@dataclass(frozen=True, slots=True)
class NodeGroupArgs:
    """Inputs of `NodeGroup`."""

    cluster_name: pulumi.Input[str]
    role_arn: pulumi.Input[str]
    subnet_ids: Sequence[pulumi.Input[str]]
    security_group_ids: Sequence[pulumi.Input[str]]
    template: NodeTemplate
    """The nodes; the group has its name."""
    ami_type: str
    version: str
    """The release of Kubernetes: a group that names none stays at the one that it was made with."""
    ami_release: str | None
    """The release of the image; None: EKS chooses."""
    nodes: int
    repaired: bool
    """Let EKS restart or replace nodes that stay unhealthy."""
    scarce: bool
    """No machine is to spare: an update ends an old node before it launches a new one."""
    placement: NewPlacement | ExistingPlacement | None
    """The placement group that brings the nodes close to each other. A capacity block places its own."""
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    tags: Mapping[str, str]
    """Tags of the group, not of its nodes."""
    sets_size: bool
    """Bring a group that exists to its size; False: leave as many nodes as the account has now."""


class NodeGroup(pulumi.ComponentResource):
    """Nodes of one type, and how they were bought."""

    group: aws.eks.NodeGroup

    def __init__(
        self, name: str, args: NodeGroupArgs, *, depends_on: Resources, opts: pulumi.ResourceOptions
    ) -> None:
        inputs = {"instanceType": args.template.instance_type, "nodes": args.nodes}
        super().__init__("dynamo-stack:components:NodeGroup", name, inputs, opts)
        inside = child(self)
        placement: pulumi.Input[str] | None = None
        if isinstance(args.placement, NewPlacement):
            placement = aws.ec2.PlacementGroup(
                f"{name}-placement", name=args.template.name, strategy="cluster", opts=inside
            ).name
        elif args.placement is not None:
            placement = args.placement.name
        template = _launch_template(
            f"{name}-template", args.template, args.security_group_ids, placement, inside
        )
        purchase = args.template.purchase
        block = purchase if isinstance(purchase, CapacityBlock) else None
        launches = block is None or block.phase == "active"
        self.group = aws.eks.NodeGroup(
            name,
            node_group_name=args.template.name,
            cluster_name=args.cluster_name,
            node_role_arn=args.role_arn,
            subnet_ids=list(args.subnet_ids),
            ami_type=args.ami_type,
            version=args.version,
            release_version=args.ami_release,
            capacity_type=capacity_type(purchase),
            launch_template={"id": template.id, "version": template.latest_version.apply(str)},
            scaling_config={
                "min_size": 0,
                "max_size": args.nodes,
                # Before the window opens every launch fails, and EKS logs it until one succeeds.
                "desired_size": args.nodes if launches else 0,
            },
            update_config=_update_config(args),
            node_repair_config={"enabled": True} if args.repaired else None,
            labels=dict(args.labels),
            taints=[{"key": item.key, "value": item.value, "effect": item.effect} for item in args.taints],
            tags=dict(args.tags) or None,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=depends_on,
                # The scheduled action, EKS before a block ends, and a person on call change it too.
                ignore_changes=None if args.sets_size else ["scalingConfig.desiredSize"],
                # The name and the GPUs are the old group's until it is gone. Were it left to the provider, an
                # `up` that goes back after a refused replacement would make the group and then delete it as
                # the old one (pulumi/pulumi#16629).
                delete_before_replace=True,
                custom_timeouts=pulumi.CustomTimeouts(create=_TIMEOUT, update=_TIMEOUT, delete=_TIMEOUT),
            ),
        )
        if block is not None and block.phase == "waiting":
            self._start_with_the_window(name, args.nodes, block)
        self.register_outputs({"nodeGroupName": args.template.name})

    def _start_with_the_window(self, name: str, nodes: int, block: CapacityBlock) -> None:
        aws.autoscaling.Schedule(
            f"{name}-window-opens",
            scheduled_action_name="capacity-block-opens",
            autoscaling_group_name=self.group.resources[0].autoscaling_groups[0].name,
            start_time=block.starts,
            min_size=0,
            max_size=nodes,
            desired_capacity=nodes,
            opts=pulumi.ResourceOptions(parent=self),
        )


def _launch_template(
    logical_name: str,
    template: NodeTemplate,
    security_group_ids: Sequence[pulumi.Input[str]],
    placement_group: pulumi.Input[str] | None,
    opts: pulumi.ResourceOptions,
) -> aws.ec2.LaunchTemplate:
    """Make the template.

    It names no subnet, no disk size of the node group and no remote access: EKS refuses a template that does
    (https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html).
    """
    content = template_content(template)
    interfaces = [
        {**item, "security_groups": list(security_group_ids)} for item in content["network_interfaces"]
    ]
    return aws.ec2.LaunchTemplate(
        logical_name,
        name=template.name,
        update_default_version=True,
        placement={"group_name": placement_group} if placement_group is not None else None,
        **{**content, "network_interfaces": interfaces},
        opts=opts,
    )


def _update_config(args: NodeGroupArgs) -> aws.eks.NodeGroupUpdateConfigArgsDict:
    if not args.scarce:
        return {"max_unavailable": 1}
    # By default EKS launches a new node before it ends an old one
    # (https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html).
    return {"max_unavailable": 1, "update_strategy": "MINIMAL"}
