"""Whether everybody means the same revision of a model, and finds it."""

import re
from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Severity, failed
from rules.reading.commands.container_commands import mentions
from rules.reading.model_users import ModelReference, ModelUser
from rules.reading.model_volumes import ModelVolume
from rules.reading.shapes import Undecided
from rules.rule import rule
from rules.subjects import MODEL_VOLUMES, model_users

_COMMIT = re.compile(r"[0-9a-f]{40}")
_WRITES_MAIN = re.compile(r"refs/main")


@rule(
    model_users("download", "worker"),
    severity=Severity.ADVISORY,
    reason=(
        "A repository's name means its main branch of that moment. Once it moves, workers that start later "
        "serve other weights than those that run, after a second download onto the same claim."
    ),
    source=(
        "https://huggingface.co/docs/huggingface_hub/guides/download; ai-dynamo/dynamo "
        "recipes/gpt-oss-120b/trtllm/disagg/deploy.yaml at 04521f4"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Download with --revision and the commit's 40 digits, and give workers the directory of that "
        "snapshot (…/hub/models--<owner>--<name>/snapshots/<commit>)."
    ),
)
def model_revision_pinned(_: ResourceGraph, user: ModelUser) -> Iterator[str]:
    """A download and a worker say which revision of the model they mean."""
    for model in user.models:
        if model.is_path or model.repository is None or _COMMIT.fullmatch(model.revision or ""):
            continue
        # Offline, a worker reads what the volume calls main, and nobody moves that behind its back.
        if user.kind == "worker" and user.is_offline:
            continue
        verb = "downloads" if user.kind == "download" else "serves"
        named = "in no revision" if model.revision is None else f"in revision {model.revision}, which moves"
        found = f"{verb} {model.repository} {named}"
        yield f"{found}: when the publisher pushes, the next start takes other files"


@rule(
    MODEL_VOLUMES,
    severity=Severity.MANDATORY,
    reason=(
        "Each revision has a directory of its own in the cache: whoever names one that nobody downloads "
        "finds no files and ends at start."
    ),
    source="https://huggingface.co/docs/huggingface_hub/guides/manage-cache (snapshots, one folder a commit)",
    lines=EVERY_RELEASE,
    fix="Change the revision everywhere at once: download, every worker, the benchmark's tokenizer.",
)
def model_revision_equal(_: ResourceGraph, volume: ModelVolume) -> Iterator[Observation]:
    """Download, workers and benchmark mean the same revision of a model."""
    present: dict[str, dict[str, str]] = {}
    for user in volume.of_kind("download"):
        for model in user.models:
            if model.repository is not None and model.revision is not None:
                present.setdefault(model.repository, {})[model.revision] = f"{user.name} downloads"
    for user in volume.of_kind("worker", "benchmark"):
        for problem in _other_revisions(user, present):
            yield failed(user.resource, user.name, problem)


def _other_revisions(user: ModelUser, present: dict[str, dict[str, str]]) -> Iterator[str]:
    for model in user.models:
        if model.repository is None or model.revision is None:
            continue
        # Where nothing here downloads the model, the first worker says what the volume holds.
        known: Mapping[str, str] = present.setdefault(
            model.repository, {model.revision: f"{user.name} reads"}
        )
        if model.revision not in known:
            others = ", ".join(f"{whose} {revision}" for revision, whose in known.items())
            yield f"reads revision {model.revision} of {model.repository} ({model.source}), but {others}"


@rule(
    MODEL_VOLUMES,
    severity=Severity.MANDATORY,
    reason=(
        "hf download with a commit writes the snapshot and no refs/main; offline, transformers then cannot "
        "resolve the repository's name, and the worker ends at start."
    ),
    source="huggingface/huggingface_hub src/huggingface_hub/_snapshot_download.py; transformers run offline",
    lines=EVERY_RELEASE,
    fix="Give the worker the snapshot's directory, or let the download write the commit into refs/main.",
)
def offline_worker_finds_the_model(_: ResourceGraph, volume: ModelVolume) -> Iterator[Observation]:
    """A worker that may not ask the hub can tell which revision a repository's name means."""
    for user in volume.of_kind("worker"):
        if not user.is_offline:
            continue
        for model in user.models:
            if not model.is_path and model.repository is not None and model.revision is None:
                yield from _without_main(volume, user, model)


def _without_main(volume: ModelVolume, user: ModelUser, model: ModelReference) -> Iterator[Observation]:
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
