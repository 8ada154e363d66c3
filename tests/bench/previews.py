"""Projects to preview: of whole stacks, and of a program with a single ConfigMap beside them."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from lab import cluster
from lab.directory import PROGRAM_ROOMS, REPOSITORY, LabDirectory
from lab.environment import CONTEXT, sealed_environment
from lab.rehearsal import SETTINGS

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


@contextmanager
def preview_projects() -> Iterator[tuple[list[Path], list[str], dict[str, str]]]:
    """Yield projects that bear the names of their stacks, pulumi, and its environment.

    On a cluster of their own, which goes again: a program with a single ConfigMap, stack dev, and a stack
    whose pool has one node, and then many, all of it in use. Pools are on a cluster that exists: what is made
    around it does not grow with the pool.
    """
    with tempfile.TemporaryDirectory() as folder:
        lab, projects = LabDirectory(Path(folder) / "lab"), Path(folder)
        try:
            cluster.up(lab, say=lambda _: None)
            made = [
                _toy(projects / "toy"),
                _project(projects / "dev", "dev"),
                _pool_of(projects / "one-tray", 1),
                _pool_of(projects / "many-trays", _MANY),
            ]
            pulumi = [str(lab.bin / "pulumi"), "--non-interactive", "--color=never"]
            yield made, pulumi, dict(sealed_environment(lab))
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
    # The lab has two of these trays: a preview refuses what does not fit, unless it is to wait.
    settings["serving"] |= {"replicas": "fill", "waitForRoom": True}
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
