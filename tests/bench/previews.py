"""How long a preview of a whole stack takes, beside one of a program with a single ConfigMap."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import yaml

from lab import cluster
from lab.directory import PROGRAM_ROOMS, REPOSITORY, LabDirectory
from lab.environment import CONTEXT, sealed_environment
from lab.errors import LabError
from lab.rehearsal import SETTINGS

RUNS = 5
_POOLED, _MANY = "agg-gb200", 250

_TOY_PROJECT = """\
name: toy
runtime:
  name: python
  options:
    toolchain: pip
    virtualenv: {virtualenv}
"""
_TOY_PROGRAM = """\
import pulumi
import pulumi_kubernetes as kubernetes

cluster = kubernetes.Provider("cluster", context={context!r})
kubernetes.core.v1.ConfigMap(
    "one",
    metadata={{"name": "one", "namespace": "default"}},
    data={{"key": "value"}},
    opts=pulumi.ResourceOptions(provider=cluster),
)
"""


@dataclass(frozen=True)
class Seconds:
    """Medians of several previews."""

    dev: float
    """Stack dev, on an existing cluster."""
    toy: float
    """A program with a single ConfigMap."""
    one_tray: float
    """A stack whose pool has one node, all of it in use; the next with many."""
    many_trays: float


def preview_seconds() -> Seconds:
    """Measure on a cluster of their own, which goes again.

    Of pools on a cluster that exists: what is made around it does not grow with the pool.
    """
    with tempfile.TemporaryDirectory() as folder:
        lab, projects = LabDirectory(Path(folder) / "lab"), Path(folder)
        try:
            cluster.up(lab, say=lambda _: None)
            return Seconds(
                _median(lab, _project(projects / "dev", "dev")),
                _median(lab, _toy(projects / "toy")),
                _median(lab, _pool_of(projects / "one-tray", 1)),
                _median(lab, _pool_of(projects / "many-trays", _MANY)),
            )
        finally:
            cluster.down(lab)


def _project(target: Path, stack: str) -> Path:
    target.mkdir()
    for name in ("__main__.py", "Pulumi.yaml"):
        shutil.copy(REPOSITORY / name, target / name)
    for name in PROGRAM_ROOMS:
        (target / name).symlink_to(REPOSITORY / name, target_is_directory=True)
    shipped = (REPOSITORY / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")
    here = re.sub(r"(?m)^(\s+context:) \S+$", rf"\1 {CONTEXT}", shipped)
    (target / f"Pulumi.{stack}.yaml").write_text(here, encoding="utf-8")
    return target


def _pool_of(target: Path, trays: int) -> Path:
    project = _project(target, _POOLED)
    content = yaml.safe_load((project / f"Pulumi.{_POOLED}.yaml").read_text(encoding="utf-8"))
    settings = content["config"][SETTINGS]
    settings["cluster"] = {"kind": "existing", "context": CONTEXT}
    settings["modelCache"] = {"size": "150Gi", "storageClassName": "shared-files"}
    (pool,) = settings["nodePools"]
    settings["nodePools"] = [{**{key: pool[key] for key in ("name", "instanceType")}, "nodes": trays}]
    settings["serving"]["replicas"] = "fill"
    file = project / f"Pulumi.{target.name}.yaml"
    file.write_text(yaml.safe_dump({"config": {SETTINGS: settings}}), encoding="utf-8")
    return project


def _toy(target: Path) -> Path:
    target.mkdir()
    (target / "Pulumi.yaml").write_text(
        _TOY_PROJECT.format(virtualenv=REPOSITORY / ".venv"), encoding="utf-8"
    )
    (target / "__main__.py").write_text(_TOY_PROGRAM.format(context=CONTEXT), encoding="utf-8")
    return target


def _median(lab: LabDirectory, project: Path) -> float:
    """Of the stack that bears the name of the project's folder."""
    stack, seconds = project.name, list[float]()
    _pulumi(lab, project, "stack", "init", stack)
    # The first one fills caches that every later one finds.
    _pulumi(lab, project, "preview", "--stack", stack)
    for _ in range(RUNS):
        started = time.monotonic()
        _pulumi(lab, project, "preview", "--stack", stack)
        seconds.append(time.monotonic() - started)
    return round(median(seconds), 2)


def _pulumi(lab: LabDirectory, project: Path, *arguments: str) -> None:
    command = [str(lab.bin / "pulumi"), *arguments, "--non-interactive", "--color=never"]
    answer = subprocess.run(
        command, cwd=project, env=sealed_environment(lab), capture_output=True, text=True, check=False
    )
    if answer.returncode != 0:
        raise LabError(f"`pulumi {arguments[0]}` failed:\n{answer.stdout}{answer.stderr}")
