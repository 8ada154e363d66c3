"""The security group of GPU nodes, in which they reach each other over EFA."""

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from components.options import Resources, child


@dataclass(frozen=True, slots=True)
class NodeNetworkArgs:
    """Inputs of `NodeNetwork`."""

    name: str
    vpc_id: pulumi.Input[str]


class NodeNetwork(pulumi.ComponentResource):
    """A group for GPU nodes beside the cluster's own, in which all nodes reach each other over IP."""

    gpu_group: aws.ec2.SecurityGroup
    rules: Resources

    def __init__(self, name: str, args: NodeNetworkArgs, opts: pulumi.ResourceOptions) -> None:
        super().__init__("dynamo-stack:components:NodeNetwork", name, {"name": args.name}, opts)
        inside = child(self)
        self.gpu_group = aws.ec2.SecurityGroup(
            f"{name}-gpu",
            name=f"{args.name}-gpu",
            description="EFA among GPU nodes",
            vpc_id=args.vpc_id,
            tags={"Name": f"{args.name}-gpu"},
            opts=inside,
        )
        group = self.gpu_group.id
        # EFA is no IP protocol: only a rule for all traffic with the group itself lets it through, both ways
        # (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html).
        self.rules = [
            aws.vpc.SecurityGroupIngressRule(
                f"{name}-efa-in",
                security_group_id=group,
                referenced_security_group_id=group,
                ip_protocol="-1",
                description="EFA",
                opts=inside,
            ),
            aws.vpc.SecurityGroupEgressRule(
                f"{name}-efa-out",
                security_group_id=group,
                referenced_security_group_id=group,
                ip_protocol="-1",
                description="EFA",
                opts=inside,
            ),
        ]
        self.register_outputs({})
