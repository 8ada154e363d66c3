"""The stand-in charts of the lab, packaged as a folder with an index by repository, name and version."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from lab.custom_resources import (
    compute_domain_definitions,
    custom_resource_definitions,
    gpu_operator_definitions,
    monitoring_definitions,
)
from lab.operator_lines import operator_line

CHARTS_DIRECTORY = Path(__file__).parent / "fixtures" / "charts"
INDEX_FILE = "index.json"


@dataclass(frozen=True)
class Chart:
    """Where a chart comes from in the world, and which folder under fixtures/charts stands in for it."""

    repository: str
    name: str
    version: str


PLATFORM = "dynamo-platform"
_NGC = "https://helm.ngc.nvidia.com/nvidia/ai-dynamo"
# One folder of templates, which look at the chart's version themselves.
CHARTS = (
    *(Chart(_NGC, PLATFORM, version) for version in ("1.2.1", "1.4.2")),
    Chart("https://helm.ngc.nvidia.com/nvidia", "gpu-operator", "v26.7.0"),
    Chart("oci://registry.k8s.io/dra-driver-nvidia/charts", "dra-driver-nvidia-gpu", "0.4.1"),
    Chart("https://aws.github.io/eks-charts", "aws-efa-k8s-device-plugin", "0.5.30"),
    Chart("https://prometheus-community.github.io/helm-charts", "kube-prometheus-stack", "88.5.3"),
)


def package_charts(target: Path) -> None:
    """Writes every stand-in chart and the index below `target`. Run again, it changes nothing.

    A chart's folder name ends in a hash of its content, so no process reads a mixture of two.
    """
    target.mkdir(parents=True, exist_ok=True)
    entries = [_package(chart, target) for chart in CHARTS]
    index = target / INDEX_FILE
    text = json.dumps(entries, indent=2) + "\n"
    if not index.exists() or index.read_text(encoding="utf-8") != text:
        index.write_text(text, encoding="utf-8")


def _package(chart: Chart, target: Path) -> dict[str, str]:
    """The chart's line of the index; `path` is its folder, relative to the index."""
    source = CHARTS_DIRECTORY / chart.name
    files = {
        path.relative_to(source): path.read_bytes() for path in sorted(source.rglob("*")) if path.is_file()
    }
    if chart.name == PLATFORM:
        files |= _of_its_version(files, chart.version)
    files |= _crd_files(chart)
    digest = hashlib.sha256()
    for path, content in sorted(files.items()):
        digest.update(f"{path} {len(content)}\n".encode() + content)
    folder = target / f"{chart.name}-{chart.version}-{digest.hexdigest()[:8]}"
    if not folder.exists():
        _write_folder(folder, files)
    return {**asdict(chart), "path": folder.name}


def _of_its_version(files: dict[Path, bytes], version: str) -> dict[Path, bytes]:
    """The chart's name card and its default values in that version; the folder holds those of 1.2.1."""
    card, values = (yaml.safe_load(files[Path(name)]) for name in ("Chart.yaml", "values.yaml"))
    values["global"]["nats"]["install"] = operator_line(version).bundles_nats
    written = {"Chart.yaml": card | {"version": version, "appVersion": version}, "values.yaml": values}
    return {Path(name): yaml.dump(content, sort_keys=False).encode() for name, content in written.items()}


def _crd_files(chart: Chart) -> dict[Path, bytes]:
    """The chart's crds/ folder: Helm installs it at the first install and never looks at it again."""
    return {
        Path("crds") / f"{crd['metadata']['name']}.yaml": yaml.dump(crd, Dumper=yaml.CSafeDumper).encode()
        for crd in _definitions(chart)
    }


def _definitions(chart: Chart) -> list[dict[str, Any]]:
    match chart.name:
        case "dynamo-platform":
            line = operator_line(chart.version)
            return custom_resource_definitions(line) if line.chart_has_definitions else []
        case "gpu-operator":
            return gpu_operator_definitions()
        case "dra-driver-nvidia-gpu":
            return compute_domain_definitions()
        case "kube-prometheus-stack":
            return monitoring_definitions()
        case _:
            return []


def _write_folder(folder: Path, files: dict[Path, bytes]) -> None:
    """All or nothing: an interrupted run must not leave a chart without half of its templates."""
    staging = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(staging, ignore_errors=True)
    for path, content in files.items():
        (staging / path).parent.mkdir(parents=True, exist_ok=True)
        (staging / path).write_bytes(content)
    staging.rename(folder)
