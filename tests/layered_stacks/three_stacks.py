"""Three stacks of one project on one cluster in the simulated account, each with a layer of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from lab import aws_cloud, cluster
from tests.conftest import copy_project
from tests.eks.conftest import describe_block
from tests.support.eks_settings import eks_b200_settings
from tests.support.lab_stack import LabStack
from tests.support.sandbox import Sandbox

SETTINGS = "dynamo-stack:settings"
INFRASTRUCTURE, PLATFORM, SERVING = "base", "dynamo", "gpt-oss"

_LAYERS: dict[str, dict[str, Any]] = {
    INFRASTRUCTURE: {"layers": ["infrastructure"]},
    PLATFORM: {"layers": ["platform"], "layerStacks": {"infrastructure": INFRASTRUCTURE}},
    SERVING: {
        "layers": ["serving"],
        "layerStacks": {"infrastructure": INFRASTRUCTURE, "platform": PLATFORM},
    },
}


@contextmanager
def three_stacks(folder: Path) -> Iterator[dict[str, LabStack]]:
    """The stacks, none of them deployed, each with its file; account and cluster are gone at the end."""
    settings = {name: eks_b200_settings() | typed for name, typed in _LAYERS.items()}
    # The two upper ones hold nothing here that is worth a second `up` to lift its protection.
    for name in (PLATFORM, SERVING):
        settings[name]["lifecycle"] = "disposable"
    # A lab of its own: one that other tests share has nodes and classes already.
    lab = Sandbox.at(folder / "lab").directory
    project = copy_project(folder / "project")
    try:
        cluster.up(lab, print, furnished=False)
        describe_block(lab, settings[INFRASTRUCTURE])
        aws_cloud.up(lab, settings[INFRASTRUCTURE]["cluster"]["accountId"])
        # The engine's environment was made before there was an account to find.
        sandbox = Sandbox.at(lab.root)
        stacks = {name: LabStack(sandbox, project, name) for name in _LAYERS}
        for name, stack in stacks.items():
            file = project / f"Pulumi.{name}.yaml"
            file.write_text(yaml.safe_dump({"config": {SETTINGS: settings[name]}}), encoding="utf-8")
            sandbox.pulumi("stack", "init", name, cwd=stack.project)
        yield stacks
    finally:
        cluster.down(lab)


def changed(stack: LabStack, **settings: Any) -> dict[str, Any]:
    """Types some settings of the stack's copy anew; returns the file as it was."""
    before, content = stack.settings(), stack.settings()
    content["config"][SETTINGS] |= settings
    stack.write_settings(content)
    return before
