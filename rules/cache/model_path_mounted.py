"""A worker finds its model's directory on a volume."""

from collections.abc import Iterator, Sequence

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.commands.spelling import slip_of
from rules.reading.pods.images import read_image
from rules.reading.shapes import mappings_at, text_at
from rules.reading.storage.claims import is_within
from rules.reading.storage.model_users import ModelUser
from rules.reading.storage.model_volumes import check_model_users

_HOME = "HF_HOME"
_RUNTIMES = frozenset({"sglang-runtime", "tensorrtllm-runtime", "vllm-runtime"})
_SLIPS = 2


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_users(graph, {"worker", "benchmark"}, _check_user)


def _check_user(user: ModelUser) -> Iterator[Observation]:
    paths = [text_at(mount, "mountPath") for mount in mappings_at(user.container, "volumeMounts")]
    mounted = [*(mount.path for mount in user.mounts), *(path for path in paths if path)]
    # Without any claim the model may be part of an image of one's own, or be fetched by the start script.
    if not user.mounts and not _has_no_model(user):
        return
    yield from _check_cache(user, mounted)
    for model in user.models:
        if not model.is_path or any(is_within(model.text, path) for path in mounted):
            continue
        yield failed(
            user.resource,
            user.name,
            f"reads its model from {model.text} ({model.source}), where nothing is mounted; it mounts "
            f"{_places(user)}",
        )


def _check_cache(user: ModelUser, mounted: Sequence[str]) -> Iterator[Observation]:
    """A model that is named by its repository comes from the hub's cache, or from the hub."""
    cache = user.cache_directory
    named = [model for model in user.models if not model.is_path and model.repository is not None]
    if not named or any(is_within(cache, path) for path in mounted):
        return
    home = user.variable(_HOME)
    meant = None if home is None else slip_of(home.rstrip("/"), mounted, _SLIPS)
    if meant is not None:
        message = f"keeps models in {_HOME} {home}, where nothing is mounted; {meant} is"
        yield failed(user.resource, user.name, message)
    elif user.is_offline and user.kind == "worker" and _has_no_model(user):
        yield failed(
            user.resource,
            user.name,
            f"may not ask the hub (HF_HUB_OFFLINE) for {named[0].text} and looks for it in {cache}, where "
            f"nothing is mounted; it mounts {_places(user)}",
        )


def _has_no_model(user: ModelUser) -> bool:
    """Whether neither its image nor its start script brings one."""
    image = read_image(user.container)
    return image is not None and image.name in _RUNTIMES and "download" not in str(user.container).lower()


def _places(user: ModelUser) -> str:
    return ", ".join(str(mount) for mount in user.mounts) or "no claim"


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
