"""Charts by repository, name and version, from the folder that LAB_CHARTS names.

`index.json` there is a list of {"repository", "name", "version", "path"}; the path is relative to
the folder and is a chart's folder or archive. There is no network: what is not listed cannot be had.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from lab.kubernetes_provider.errors import ProviderError


class ChartError(ProviderError):
    """No such chart, in Helm's words."""


def locate(name: str, repository: str, version: str) -> Path:
    """Where the chart of exactly this version is. Raises ChartError."""
    name, version, local = name.strip(), version.strip(), Path(name.strip())
    if not repository and (local / "Chart.yaml").is_file():
        return local.absolute()
    if name.startswith("oci://"):
        repository, _, name = name.rpartition("/")
    if not repository:
        raise ChartError(f"non-absolute URLs should be in form of repo_name/path_to_chart, got: {name}")
    folder = Path(os.environ.get("LAB_CHARTS", "/nonexistent"))
    index = folder / "index.json"
    listed = json.loads(index.read_text()) if index.is_file() else []
    entries = [entry for entry in listed if entry["repository"].rstrip("/") == repository.rstrip("/")]
    if not entries:
        raise ChartError(f'looks like "{repository}" is not a valid chart repository or cannot be reached')
    for entry in entries:
        if (entry["name"], entry["version"]) == (name, version):
            return folder / entry["path"]
    raise ChartError(f'chart "{name}" version "{version}" not found in {repository} repository')
