"""A stack whose workers and frontends find each other by etcd."""

from typing import Any


def discover_by_etcd(settings: dict[str, Any]) -> None:
    """Give the stack three etcd members of its own beside its NATS servers."""
    platform = settings["platform"]
    platform["discovery"] = "etcd"
    platform["etcd"] = {"kind": "own", "members": 3, "storageClassName": platform["nats"]["storageClassName"]}
