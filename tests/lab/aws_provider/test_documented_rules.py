"""What AWS documents and shapes of requests cannot say: each rule with its source and a refused request.

The requests are in the tables beside this file; here is who says so, by the rule's own words there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.lab.aws_provider import (
    test_rules_of_ec2,
    test_rules_of_ec2_templates,
    test_rules_of_eks_clusters,
    test_rules_of_eks_node_groups,
    test_rules_of_storage_and_others,
)

if TYPE_CHECKING:
    from tests.lab.aws_provider.refusals import Refusal

_GUIDE = "https://docs.aws.amazon.com/eks/latest/userguide"
_EC2_GUIDE = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide"
_EKS_API = "https://docs.aws.amazon.com/eks/latest/APIReference"
_EC2_API = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference"
_LUSTRE_API = (
    "https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html"
)
_TEMPLATES = f"{_GUIDE}/launch-templates.html"
_NODE_GROUP = f"{_EKS_API}/API_CreateNodegroup.html"
_BLOCKS_OF_GROUPS = f"{_GUIDE}/capacity-blocks-mng.html"
_BLOCKS = f"{_EC2_GUIDE}/capacity-blocks-using.html"
_NETWORK = f"{_GUIDE}/network-reqs.html"
_EFA = f"{_EC2_GUIDE}/efa.html"
_CARDS = f"{_EC2_GUIDE}/using-eni.html#network-cards"
_ULTRASERVER = f"{_GUIDE}/ml-eks-nvidia-ultraserver.html"
_CARD_ZERO = (
    "https://github.com/aws/aws-parallelcluster/blob/develop/cli/src/pcluster/templates/queues_stack.py"
)

RULES = {
    "a template holds the disk size": _TEMPLATES,
    "a template holds remote access": _TEMPLATES,
    "a template names no subnet": _TEMPLATES,
    "a template names no instance profile": _TEMPLATES,
    "an image of one's own has no AMI type": _TEMPLATES,
    "spot is a capacity type and no market option": _TEMPLATES,
    "the instance type is said once": _NODE_GROUP,
    "a template is named by id or by name": f"{_EKS_API}/API_LaunchTemplateSpecification.html",
    "unavailable is a number or a percentage": f"{_EKS_API}/API_NodegroupUpdateConfig.html",
    "a name has 63 characters": _NODE_GROUP,
    "50 tags at most": _NODE_GROUP,
    "GPUs need an AMI with a driver": f"{_GUIDE}/ml-eks-optimized-ami.html",
    "the AMI is of the instance's architecture": f"{_GUIDE}/ml-eks-optimized-ami.html",
    "nodes are not newer than the control plane": f"{_GUIDE}/update-managed-node-group.html",
    "a capacity block's template needs its capacity type": _BLOCKS_OF_GROUPS,
    "the capacity type of blocks needs such a template": _BLOCKS_OF_GROUPS,
    "a capacity block is launched in its zone": _BLOCKS_OF_GROUPS,
    "a capacity block is named": _BLOCKS,
    "a capacity block is used by its own market type": _BLOCKS,
    "a preference goes with no target but one": f"{_EC2_API}/API_CapacityReservationSpecification.html",
    "a reservation is for its own instance type": f"{_EC2_GUIDE}/capacity-reservations-launch.html",
    "GB200 is sold in capacity blocks alone": _ULTRASERVER,
    "a zone offers the instance type": f"{_EC2_GUIDE}/instance-discovery.html",
    "a control plane spans two zones": _NETWORK,
    "a control plane is in no zone that EKS excludes": _NETWORK,
    "a control plane is in no Local Zone": f"{_GUIDE}/local-zones.html",
    "a Local Zone is opted in to first": "https://docs.aws.amazon.com/local-zones/latest/ug/getting-started.html",
    "efa-only is never the primary interface": _EFA,
    "efa-only has no addresses": _EFA,
    "no more EFAs than the type has": _EFA,
    "card 0 of B300 has no EFA": _CARD_ZERO,
    "card 0 of GB200 has no EFA": _CARDS,
    "a card must exist": _CARDS,
    "no more interfaces on a card than it has": _CARDS,
    "a public address needs a single interface": f"{_EC2_GUIDE}/using-instance-addressing.html",
    "an add-on gets its role one way": f"{_EKS_API}/API_CreateAddon.html",
    "pods may take a pod identity's role": f"{_GUIDE}/pod-id-role.html",
    "a size is 1200 or steps of 2400": "https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    "PERSISTENT_2 has a tier": _LUSTRE_API,
    "tiers are the deployment type's": _LUSTRE_API,
    "EFA needs metadata of its own": _LUSTRE_API,
}


def _refusals(test: Any) -> tuple[Refusal, ...]:
    (parametrized,) = test.pytestmark
    return parametrized.args[1]


def test_each_documented_rule_has_a_request_that_is_refused() -> None:
    refused = {
        refusal.rule
        for test in (
            test_rules_of_ec2.test_ec2_refuses,
            test_rules_of_ec2_templates.test_ec2_refuses_the_template,
            test_rules_of_eks_clusters.test_eks_refuses,
            test_rules_of_eks_node_groups.test_eks_refuses_the_node_group,
            test_rules_of_storage_and_others.test_it_is_refused,
        )
        for refusal in _refusals(test)
    }
    assert set(RULES) - refused == set()
    assert len(RULES) >= 30
    assert all(source.startswith("https://") for source in RULES.values())
