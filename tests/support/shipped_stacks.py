"""What the committed stack files say, and what they serve without the cluster that three of them make."""

import copy
from functools import cache
from typing import Any, cast

from lab.directory import REPOSITORY
from stacks.plan.resolve import resolve
from stacks.plan.stack_plan import StackPlan
from stacks.settings.load import parse_settings, read_settings

SETTINGS = "dynamo-stack:settings"


@cache
def committed_settings(name: str) -> dict[str, Any]:
    """The same as it is written, for reading only: a file is parsed once."""
    return cast("dict[str, Any]", read_settings(REPOSITORY / f"Pulumi.{name}.yaml"))


def shipped_settings(name: str) -> dict[str, Any]:
    """What stands below `dynamo-stack:settings` in the committed file, for a test to change.

    As a person types it once the windows of its Capacity Blocks are open: before, there is no graph.
    """
    settings = copy.deepcopy(committed_settings(name))
    for pool in settings["nodePools"]:
        if pool.get("purchase", {}).get("kind") == "capacityBlock":
            pool["purchase"]["phase"] = "active"
    return settings


def served_settings(name: str, context: str = "gpu-cluster") -> dict[str, Any]:
    """The same on a cluster, nodes and storage that exist: for whatever is about serving alone."""
    settings = shipped_settings(name)
    if settings["cluster"]["kind"] == "eks":
        for pool in settings["nodePools"]:
            del pool["zone"], pool["purchase"]
        settings["modelCache"] = {"size": "150Gi", "storageClassName": "shared-files"}
    settings["cluster"] = {"kind": "existing", "context": context}
    return settings


def shipped_stack(name: str) -> StackPlan:
    """The stack as it is shipped, with every decision made."""
    return _resolved(name, shipped_settings(name))


def served_stack(name: str) -> StackPlan:
    """What it serves on a cluster that exists, with every decision made."""
    return _resolved(name, served_settings(name))


def _resolved(name: str, settings: dict[str, Any]) -> StackPlan:
    file = f"Pulumi.{name}.yaml"
    return resolve(name, parse_settings(settings, file), file)
