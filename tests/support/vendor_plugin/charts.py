"""What a chart repository answers to a path: an index and archives, or the layers of an OCI registry.

The layout of an index is Helm's (https://helm.sh/docs/topics/chart_repository/), of a chart in a registry
Helm's OCI media types in the distribution specification (https://helm.sh/docs/topics/registries/).
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_CONFIG = "application/vnd.cncf.helm.config.v1+json"
_LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
_INDEX = "index.json"


@dataclass(frozen=True)
class Answer:
    """A document and what it is."""

    body: bytes
    media_type: str = "application/octet-stream"

    @property
    def digest(self) -> str:
        """As an OCI registry names it."""
        return f"sha256:{hashlib.sha256(self.body).hexdigest()}"


def read_hosts(folder: Path) -> dict[str, dict[str, Answer]]:
    """Host -> path -> answer, for every chart that the folder's index.json lists (lab/charts.py)."""
    entries: list[dict[str, str]] = json.loads((folder / _INDEX).read_text(encoding="utf-8"))
    hosts: dict[str, dict[str, Answer]] = {}
    indexes: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for entry in entries:
        repository = urlsplit(entry["repository"])
        answers = hosts.setdefault(repository.netloc, {})
        chart = yaml.safe_load((folder / entry["path"] / "Chart.yaml").read_text(encoding="utf-8"))
        archive = Answer(_archive(folder / entry["path"], entry["name"]), "application/gzip")
        if repository.scheme == "oci":
            answers |= _of_registry(f"{repository.path}/{entry['name']}", entry["version"], chart, archive)
            continue
        file = f"{entry['name']}-{entry['version']}.tgz"
        answers[f"{repository.path}/{file}"] = archive
        listed = indexes.setdefault(entry["repository"].rstrip("/"), {}).setdefault(entry["name"], [])
        listed.append({**chart, "version": entry["version"], "urls": [file]})
    for url, charts in indexes.items():
        document = yaml.safe_dump({"apiVersion": "v1", "entries": charts}).encode()
        hosts[urlsplit(url).netloc][f"{urlsplit(url).path}/index.yaml"] = Answer(document, "text/yaml")
    return hosts


def _of_registry(path: str, version: str, chart: Mapping[str, Any], archive: Answer) -> dict[str, Answer]:
    config = Answer(json.dumps(chart).encode(), _CONFIG)
    layer = Answer(archive.body, _LAYER)
    manifest = {
        "schemaVersion": 2,
        "mediaType": _MANIFEST,
        "config": _descriptor(config),
        "layers": [_descriptor(layer)],
    }
    described = Answer(json.dumps(manifest).encode(), _MANIFEST)
    # A tag may not hold a plus sign: Helm writes an underscore.
    tag = version.replace("+", "_")
    tags = Answer(json.dumps({"name": path[1:], "tags": [tag]}).encode(), "application/json")
    return {
        "/v2/": Answer(b"{}", "application/json"),
        f"/v2{path}/tags/list": tags,
        f"/v2{path}/manifests/{tag}": described,
        f"/v2{path}/manifests/{described.digest}": described,
        f"/v2{path}/blobs/{config.digest}": config,
        f"/v2{path}/blobs/{layer.digest}": layer,
    }


def _descriptor(answer: Answer) -> dict[str, Any]:
    return {"mediaType": answer.media_type, "digest": answer.digest, "size": len(answer.body)}


def _archive(folder: Path, name: str) -> bytes:
    """The chart as `helm package` makes it, the same bytes each time."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            content = file.read_bytes()
            member = tarfile.TarInfo(f"{name}/{file.relative_to(folder)}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), mtime=0)
