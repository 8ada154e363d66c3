"""Download, workers and benchmark mean the same revision of a model."""

from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.storage.model_users import ModelUser
from rules.reading.storage.model_volumes import ModelVolume, check_model_volumes


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_volumes(graph, _check_volume)


def _check_volume(volume: ModelVolume) -> Iterator[Observation]:
    present: dict[str, dict[str, str]] = {}
    for user in volume.of_kind("download"):
        for model in user.models:
            if model.repository is not None and model.revision is not None:
                present.setdefault(model.repository, {})[model.revision] = f"{user.name} downloads"
    for user in volume.of_kind("worker", "benchmark"):
        yield from _check_user(user, present)


def _check_user(user: ModelUser, present: dict[str, dict[str, str]]) -> Iterator[Observation]:
    for model in user.models:
        if model.repository is None or model.revision is None:
            continue
        # Where nothing here downloads the model, the first worker says what the volume holds.
        known: Mapping[str, str] = present.setdefault(
            model.repository, {model.revision: f"{user.name} reads"}
        )
        if model.revision in known:
            continue
        others = ", ".join(f"{whose} {revision}" for revision, whose in known.items())
        yield failed(
            user.resource,
            user.name,
            f"reads revision {model.revision} of {model.repository} ({model.source}), but {others}",
        )


RULE = Rule(
    id="model-revision-equal",
    title="Download, workers and benchmark mean the same revision of a model",
    severity=Severity.MANDATORY,
    reason=(
        "Each revision has a directory of its own in the cache: whoever names one that nobody downloads "
        "finds no files and ends at start."
    ),
    source="https://huggingface.co/docs/huggingface_hub/guides/manage-cache (snapshots, one folder a commit)",
    lines=EVERY_RELEASE,
    fix="Change the revision everywhere at once: download, every worker, the benchmark's tokenizer.",
    check=_check,
)
