"""Settings of stacks that make their own cluster."""

from typing import Any

from tests.support.dev_settings import disagg_b200_settings, disagg_gb200_settings

ACCOUNT = "123456789012"
BLOCK = {
    "kind": "capacityBlock",
    "id": "cr-0123456789abcdef0",
    "starts": "2026-12-01T11:30:00Z",
    "phase": "active",
}


def eks_b200_settings() -> dict[str, Any]:
    """One node of eight B200 in a Capacity Block, with a Lustre cache."""
    settings = disagg_b200_settings()
    settings["cluster"] = {
        "kind": "eks",
        "name": "gpt-oss",
        "accountId": ACCOUNT,
        "region": "us-east-1",
        "network": {"kind": "own", "zones": ["us-east-1a", "us-east-1b"]},
    }
    settings["nodePools"][0] |= {"zone": "us-east-1b", "purchase": dict(BLOCK)}
    settings["modelCache"] = {"size": "1200Gi", "storage": {"kind": "fsxLustre"}}
    return settings


def eks_gb200_settings() -> dict[str, Any]:
    """GB200 trays in the Local Zone where they are sold, with a cache in the region."""
    settings = disagg_gb200_settings()
    settings["cluster"] = eks_b200_settings()["cluster"]
    settings["nodePools"][0] |= {"zone": "us-east-1-dfw-2a", "purchase": dict(BLOCK)}
    settings["modelCache"] = {"size": "150Gi", "storage": {"kind": "efs"}}
    return settings
