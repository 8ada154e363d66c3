"""Nodes in a Local Zone, and the packets of their pods."""

import json

from tests.rules.case import Case, failed, undecided
from tests.rules.exports import resource, unset

FITS = "packets-fit-local-zone"
OURS = "disagg-gb200-on-eks"
CNI, CONFIGURATION = "Addon/eks-vpc-cni", "inputs.configurationValues"

CASES = (
    Case(
        FITS,
        "the CNI's own choice, where our trays are in a Local Zone",
        OURS,
        (resource(CNI, CONFIGURATION, json.dumps({"enableNetworkPolicy": "true"})),),
        failed(FITS, "eks-vpc-cni"),
        ("lets pods send 9,001 bytes, and to nodes in us-east-1-dfw-2a go 8,801",),
    ),
    Case(
        FITS,
        "a size that no number says",
        OURS,
        (resource(CNI, CONFIGURATION, json.dumps({"env": {"AWS_VPC_ENI_MTU": "jumbo"}})),),
        undecided(FITS, "eks-vpc-cni"),
    ),
    Case(
        FITS,
        "the CNI's own choice, where no node leaves the region",
        OURS,
        (
            unset(CNI, CONFIGURATION),
            resource("Subnet/network-private-us-east-1-dfw-2a", "inputs.availabilityZone", "us-east-1c"),
        ),
        frozenset(),
    ),
)
