"""What a simulated download leaves: kwok lets its Job succeed, and the claim's folder gets a model.

The Job's own command line says which model; nothing else decides what a worker finds.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from lab.kubelet.mock_model import write_model
from lab.kubelet.volumes import claim_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lab.kubelet.objects import Objects

_DOWNLOAD = re.compile(r"\bhf download (?P<repository>[\w./-]+) --revision (?P<revision>[\w.-]+)")


def fill_claims(root: Path, pod: Mapping[str, Any], objects: Objects) -> list[str]:
    """Write the model of each download that a succeeded pod has made; return what was written, in words."""
    written: list[str] = []
    claims = {
        volume["name"]: volume["persistentVolumeClaim"]["claimName"]
        for volume in pod["spec"].get("volumes", ())
        if "persistentVolumeClaim" in volume
    }
    for container in pod["spec"]["containers"]:
        words = "\n".join((*container.get("command", ()), *container.get("args", ())))
        home = {each["name"]: each.get("value", "") for each in container.get("env", ())}.get("HF_HOME", "")
        for found in _DOWNLOAD.finditer(words):
            for mount in container.get("volumeMounts", ()):
                claim = objects.get(
                    "PersistentVolumeClaim", pod["metadata"]["namespace"], claims.get(mount["name"], "")
                )
                if claim is not None and PurePosixPath(home).is_relative_to(mount["mountPath"]):
                    inside = PurePosixPath(home).relative_to(mount["mountPath"])
                    hub = claim_folder(root, claim) / inside / "hub"
                    write_model(hub, found["repository"], found["revision"])
                    written.append(f"{found['repository']} in claim {claim['metadata']['name']}")
    return written
