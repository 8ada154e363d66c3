"""A model claim has room for a second revision."""

from collections.abc import Iterator, Sequence

from hardware import ModelShape, checkpoint_bytes
from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.storage.model_users import ModelUser
from rules.reading.storage.model_volumes import ModelVolume, check_model_volumes

_REVISIONS = 2
# Folders of the repositories that no engine here reads: the weights again, in two other forms.
_OTHER_FORMS = ("original/", "metal/")
_ALL_FORMS = 3
_SELECTING = ("--include", "--exclude")


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_volumes(graph, _check_volume)


def _check_volume(volume: ModelVolume) -> Iterator[Observation]:
    if volume.claim is None or not volume.models:
        return
    downloads = volume.of_kind("download")
    kept = sum(_kept_bytes(repository, model, downloads) for repository, model in volume.models.items())
    size = volume.claim.bytes
    if size >= _REVISIONS * kept:
        return
    yield failed(
        volume.claim.resource,
        volume.name,
        f"asks for {volume.claim.storage} ({float(size) / 1e9:.1f} GB), but a revision of "
        f"{', '.join(sorted(volume.models))} takes {kept / 1e9:.1f} GB as it is downloaded, and a second "
        f"one beside it {_REVISIONS * kept / 1e9:.1f} GB",
    )


def _kept_bytes(repository: str, model: ModelShape, downloads: Sequence[ModelUser]) -> int:
    own = [
        download
        for download in downloads
        if any(reference.repository == repository for reference in download.models)
    ]
    forms = _ALL_FORMS if any(_takes_all_forms(download) for download in own) else 1
    return forms * checkpoint_bytes(model)


def _takes_all_forms(download: ModelUser) -> bool:
    selecting = [flag for flag in download.flags if flag.name in _SELECTING]
    texts = [flag.value.text for flag in selecting if flag.value is not None and flag.name == "--exclude"]
    if any(flag.name == "--include" for flag in selecting):
        return False
    return not all(any(text.startswith(form) for text in texts) for form in _OTHER_FORMS)


RULE = Rule(
    id="cache-holds-two-revisions",
    title="A model claim has room for a second revision",
    severity=Severity.ADVISORY,
    reason=(
        "A new revision is downloaded beside the old one, which pods still read: with less than twice the "
        "room the download fails in the middle, and where nothing pins the revision it starts by itself. The "
        "repositories hold the weights three times, as safetensors, in original/ and in metal/."
    ),
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b/model-cache/model-download.yaml at 371045a; "
        "https://huggingface.co/docs/huggingface_hub/guides/manage-cache"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Ask for at least twice what a revision takes (150Gi for gpt-oss-120b), and exclude original/* and "
        "metal/* from the download."
    ),
    check=_check,
)
