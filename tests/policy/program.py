"""Programs for the real engine whose cluster is not known yet, so that a preview calls none."""

import asyncio
from pathlib import Path
from typing import Any
from unittest import mock

import pulumi
import pulumi_kubernetes as kubernetes

from operations.project import PROJECT
from resource_graph import ResourceGraph
from resource_graph.recorder import record
from stacks.program import deploy_stack
from tests.rules.judging import register
from tests.support.shipped_stacks import served_stack

TOY = "toy"
ROOT = Path(__file__).parents[2]


def toy(text: str) -> None:
    """Register the objects of the text, through a provider whose kubeconfig only the update knows."""
    provider = kubernetes.Provider("cluster", kubeconfig=_known_later(""))
    register(text, options=pulumi.ResourceOptions(providers=[provider]))


def shipped(name: str) -> None:
    """Register what a shipped stack serves on a cluster that exists, through such a provider too."""
    with mock.patch.object(deploy_stack, "kubeconfig_file", return_value=_known_later("")):
        deploy_stack.deploy(served_stack(name))


def recorded_shipped(name: str) -> ResourceGraph:
    """What the recorder makes of what a shipped stack serves."""
    return record(lambda: shipped(name), project=PROJECT, stack=name)


def write_toy(folder: Path, text: str) -> Path:
    """The toy as a project that the engine can run."""
    folder.mkdir()
    (folder / "deploy.yaml").write_text(text)
    return _project(folder, TOY, "from tests.policy.program import toy\ntoy(open('deploy.yaml').read())\n")


def write_shipped(folder: Path, name: str) -> Path:
    """What a shipped stack serves, as a project that the engine can run without its cluster."""
    folder.mkdir()
    return _project(folder, PROJECT, f"from tests.policy.program import shipped\nshipped({name!r})\n")


def _project(folder: Path, name: str, program: str) -> Path:
    (folder / "Pulumi.yaml").write_text(
        f"name: {name}\nruntime: {{name: python, options: {{virtualenv: {ROOT / '.venv'}}}}}\n"
    )
    (folder / "__main__.py").write_text(f"import sys\nsys.path.append({str(ROOT)!r})\n{program}")
    return folder


def _known_later(value: str) -> pulumi.Output[str]:
    def ready(result: Any) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        future.set_result(result)
        return future

    return pulumi.Output(set(), ready(value), ready(result=False))
