"""A worker that may not ask the hub and names a repository finds the main branch on its volume."""

import re
from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.commands.container_scripts import mentions
from rules.reading.shapes import Undecided
from rules.reading.storage.model_references import ModelReference
from rules.reading.storage.model_users import ModelUser
from rules.reading.storage.model_volumes import ModelVolume, check_model_volumes

_WRITES_MAIN = re.compile(r"refs/main")


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_volumes(graph, _check_volume)


def _check_volume(volume: ModelVolume) -> Iterator[Observation]:
    for user in volume.of_kind("worker"):
        if not user.is_offline:
            continue
        for model in user.models:
            if not model.is_path and model.repository is not None and model.revision is None:
                yield from _check_model(volume, user, model)


def _check_model(volume: ModelVolume, user: ModelUser, model: ModelReference) -> Iterator[Observation]:
    downloads = [
        (download, reference)
        for download in volume.of_kind("download")
        for reference in download.models
        if reference.repository == model.repository
    ]
    if not downloads:
        raise Undecided(
            f"{user.name} names the repository {model.repository} and may not ask the hub, so it needs "
            "refs/main in the cache, and nothing that was read fills it"
        )
    if any(
        reference.revision in {None, "main"} or mentions(download.container, _WRITES_MAIN)
        for download, reference in downloads
    ):
        return
    download, reference = downloads[0]
    yield failed(
        user.resource,
        user.name,
        f"names the repository {model.repository} and may not ask the hub (HF_HUB_OFFLINE), but "
        f"{download.name} downloads --revision {reference.revision}, which leaves no refs/main",
    )


RULE = Rule(
    id="offline-worker-finds-the-model",
    title="A worker that may not ask the hub can tell which revision a repository's name means",
    severity=Severity.MANDATORY,
    reason=(
        "hf download with a commit writes the snapshot and no refs/main; offline, transformers then cannot "
        "resolve the repository's name, and the worker ends at start."
    ),
    source="huggingface/huggingface_hub src/huggingface_hub/_snapshot_download.py; transformers run offline",
    lines=EVERY_RELEASE,
    fix="Give the worker the snapshot's directory, or let the download write the commit into refs/main.",
    check=_check,
)
