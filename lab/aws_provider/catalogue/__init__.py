"""The resource types that the stand-in serves, by token; any other is refused."""

from __future__ import annotations

from lab.aws_provider.catalogue import (
    ec2_launches,
    ec2_networks,
    ec2_routes,
    ec2_security,
    eks,
    others,
    storage,
)

_MODULES = (ec2_networks, ec2_routes, ec2_security, ec2_launches, eks, storage, others)

TYPES = {kind.pulumi_type: kind for module in _MODULES for kind in module.TYPES}
