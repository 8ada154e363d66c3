"""A worker finds its model's directory on a volume."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.shapes import mappings_at, text_at
from rules.reading.storage.model_users import ModelUser
from rules.reading.storage.model_volumes import check_model_users


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_users(graph, {"worker", "benchmark"}, _check_user)


def _check_user(user: ModelUser) -> Iterator[Observation]:
    # Without any claim the model may be part of the image.
    if not user.mounts:
        return
    paths = [text_at(mount, "mountPath") for mount in mappings_at(user.container, "volumeMounts")]
    mounted = [*(mount.path for mount in user.mounts), *(path for path in paths if path)]
    for model in user.models:
        if not model.is_path or any(_lies_in(model.text, path) for path in mounted):
            continue
        places = ", ".join(str(mount) for mount in user.mounts)
        yield failed(
            user.resource,
            user.name,
            f"reads its model from {model.text} ({model.source}), where nothing is mounted; it mounts "
            f"{places}",
        )


def _lies_in(path: str, directory: str) -> bool:
    return PurePosixPath(path).is_relative_to(PurePosixPath(directory))


RULE = Rule(
    id="model-path-mounted",
    title="A worker finds its model's directory on a volume",
    severity=Severity.ADVISORY,
    reason="The directory is empty or absent in the container, so the engine ends at start.",
    source="ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/agg/deploy.yaml at 05e46aa",
    lines=EVERY_RELEASE,
    fix="Mount the claim at the beginning of that path, or name the path as it is below the mount.",
    check=_check,
)
