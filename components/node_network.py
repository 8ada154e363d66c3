"""The security group of GPU nodes, in which they reach each other over EFA."""

import pulumi
import pulumi_aws as aws

from components.options import child


class NodeNetwork(pulumi.ComponentResource):
    """A group for GPU nodes beside the cluster's own, in which all nodes reach each other over IP.

    Nodes depend on all of it: without its rules none reaches another over EFA.
    """

    gpu_group: aws.ec2.SecurityGroup

    def __init__(
        self, name: str, *, cluster: str, vpc_id: pulumi.Input[str], opts: pulumi.ResourceOptions
    ) -> None:
        super().__init__("dynamo-stack:components:NodeNetwork", name, {"name": cluster}, opts)
        inside = child(self)
        self.gpu_group = aws.ec2.SecurityGroup(
            f"{name}-gpu",
            name=f"{cluster}-gpu",
            description="EFA among GPU nodes",
            vpc_id=vpc_id,
            tags={"Name": f"{cluster}-gpu"},
            opts=inside,
        )
        group = self.gpu_group.id
        # EFA is no IP protocol: only a rule for all traffic with the group itself lets it through, both ways
        # (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html).
        kinds = {"in": aws.vpc.SecurityGroupIngressRule, "out": aws.vpc.SecurityGroupEgressRule}
        for way, kind in kinds.items():
            kind(
                f"{name}-efa-{way}",
                security_group_id=group,
                referenced_security_group_id=group,
                ip_protocol="-1",
                description="EFA",
                opts=inside,
            )
        self.register_outputs({"securityGroupId": group})
