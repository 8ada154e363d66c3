"""Security groups of the nodes: EFA among GPU nodes, and the servers on the system nodes."""

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

_SERVER_PORTS = {"etcd": 2379, "nats": 4222}


@dataclass(frozen=True, slots=True)
class NodeNetworkArgs:
    """Inputs of `NodeNetwork`."""

    name: str
    vpc_id: pulumi.Input[str]


class NodeNetwork(pulumi.ComponentResource):
    """One group for GPU nodes, one for system nodes, beside the cluster's own."""

    gpu_group: aws.ec2.SecurityGroup
    system_group: aws.ec2.SecurityGroup
    rules: list[pulumi.Resource]

    def __init__(self, name: str, args: NodeNetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("dynamo-stack:components:NodeNetwork", name, {"name": args.name}, opts)
        child = pulumi.ResourceOptions(parent=self)
        self.gpu_group = _group(f"{name}-gpu", f"{args.name}-gpu", "EFA among GPU nodes", args.vpc_id, child)
        self.system_group = _group(
            f"{name}-system", f"{args.name}-system", "etcd and NATS", args.vpc_id, child
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
                opts=child,
            ),
            aws.vpc.SecurityGroupEgressRule(
                f"{name}-efa-out",
                security_group_id=group,
                referenced_security_group_id=group,
                ip_protocol="-1",
                description="EFA",
                opts=child,
            ),
        ]
        self.rules += [
            aws.vpc.SecurityGroupIngressRule(
                f"{name}-{server}",
                security_group_id=self.system_group.id,
                referenced_security_group_id=group,
                ip_protocol="tcp",
                from_port=port,
                to_port=port,
                description=f"{server} for workers",
                opts=child,
            )
            for server, port in _SERVER_PORTS.items()
        ]
        self.register_outputs({})


def _group(
    logical_name: str, name: str, description: str, vpc_id: pulumi.Input[str], opts: pulumi.ResourceOptions
) -> aws.ec2.SecurityGroup:
    return aws.ec2.SecurityGroup(
        logical_name, name=name, description=description, vpc_id=vpc_id, tags={"Name": name}, opts=opts
    )
