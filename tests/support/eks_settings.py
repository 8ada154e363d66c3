"""Settings of stacks that make their own cluster, for tests to change: the shipped ones, under one name."""

from typing import Any

from tests.support.shipped_stacks import shipped_settings

ACCOUNT = "123456789012"
BLOCK: dict[str, str] = shipped_settings("disagg-b200-tcp")["nodePools"][0]["purchase"]


def eks_b200_settings() -> dict[str, Any]:
    """One node of eight B200 in a Capacity Block, with a Lustre cache; the API server inside the VPC only."""
    return _private(shipped_settings("disagg-b200-tcp"))


def eks_gb200_settings() -> dict[str, Any]:
    """GB200 trays in the Local Zone where they are sold, with a cache in the region; private as well."""
    return _private(shipped_settings("disagg-gb200-two-trays"))


def _private(settings: dict[str, Any]) -> dict[str, Any]:
    settings["cluster"]["name"] = "gpt-oss"
    del settings["cluster"]["publicCidrs"]
    return settings
