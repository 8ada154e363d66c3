"""What a simulated download leaves: kwok lets its pod succeed, and the claim's folder gets the model.

Whatever tool a container downloads with, its words name the repository and the commit, and HF_HOME says where
the cache of Hugging Face is. Nothing else decides what a worker finds.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from lab.kubelet.mock_model import is_known, write_model
from lab.kubelet.volumes import claim_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from lab.kubelet.objects import Objects

_COMMIT = re.compile(r"[0-9a-f]{40}")


def fill_claims(root: Path, pod: Mapping[str, Any], objects: Objects) -> list[str]:
    """Write each known model that a succeeded pod has downloaded; return what was written, in words."""
    written: list[str] = []
    claims = {
        volume["name"]: volume["persistentVolumeClaim"]["claimName"]
        for volume in pod["spec"].get("volumes", ())
        if "persistentVolumeClaim" in volume
    }
    for container in pod["spec"]["containers"]:
        home = {each["name"]: each.get("value", "") for each in container.get("env", ())}.get("HF_HOME", "")
        for mount in container.get("volumeMounts", ()):
            claim = objects.get(pod, "PersistentVolumeClaim", claims.get(mount["name"], ""))
            if claim is None or not PurePosixPath(home).is_relative_to(mount["mountPath"]):
                continue
            inside = PurePosixPath(home).relative_to(mount["mountPath"])
            for repository, commit in _models(container):
                write_model(claim_folder(root, claim) / inside / "hub", repository, commit)
                written.append(f"{repository} in claim {claim['metadata']['name']}")
    return written


def _models(container: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each repository that the lab knows, with the commit that is named next."""
    words = "\n".join((*container.get("command", ()), *container.get("args", ()))).split()
    for place, word in enumerate(words):
        commit = next(filter(_COMMIT.fullmatch, words[place:]), None)
        if commit is not None and is_known(word):
            yield word, commit
