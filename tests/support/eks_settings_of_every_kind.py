"""Settings of a stack that no one person would want: something of everything that can be bought."""

from typing import Any

from tests.support.eks_settings import eks_gb200_settings


def eks_settings_of_every_kind() -> dict[str, Any]:
    """A pool of each GPU type that the region sells, and each way of buying at least once."""
    settings = eks_gb200_settings()
    zones = ["us-east-1a", "us-east-1b", "us-east-1c"]
    settings["cluster"] |= {
        "network": {"kind": "own", "zones": zones},
        "administrators": ["arn:aws:iam::123456789012:role/admin"],
        "access": [
            {"arn": "arn:aws:iam::123456789012:role/preview", "policy": "adminView"},
            {"arn": "arn:aws:iam::123456789012:role/team", "policy": "edit", "namespaces": ["gpt-oss"]},
        ],
        "monitoring": True,
    }
    local, first, second, third = "us-east-1-dfw-2a", *zones
    spot = {"kind": "spot"}
    settings["nodePools"] = [
        _pool("gb200", "p6e-gb200.36xlarge", local, _block(0, "active")),
        _pool("b200", "p6-b200.48xlarge", first, _block(1, "waiting")),
        _pool("b300", "p6-b300.48xlarge", third, {"kind": "onDemand"}),
        _pool("h200", "p5en.48xlarge", third, spot),
        # The labels tell apart what has the same GPU.
        _pool("h100", "p5.48xlarge", second, {"kind": "reservation", "id": _id(2)}, labels={"size": "large"}),
        _pool("h100-small", "p5.4xlarge", second, spot, labels={"size": "small"}),
    ]
    return settings


def _pool(name: str, instance_type: str, zone: str, purchase: dict[str, str], **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "instanceType": instance_type,
        "nodes": 2,
        "zone": zone,
        "purchase": purchase,
        **more,
    }


def _block(number: int, phase: str) -> dict[str, str]:
    starts = "2099-12-01T11:30:00Z"
    return {"kind": "capacityBlock", "id": _id(number), "starts": starts, "phase": phase}


def _id(number: int) -> str:
    return f"cr-0123456789abcdef{number}"
