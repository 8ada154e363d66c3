"""Claims, directories of nodes and empty volumes that hold a model, and everybody who uses one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engines.models import GPT_OSS_MODELS, ModelShape
from resource_graph import Resource, ResourceGraph
from rules.reading.model_users import Kind, ModelUser, read_model_users
from rules.reading.placements import read_placement, required_labels, selected_pools
from rules.reading.pods.containers import all_containers
from rules.reading.pods.mounts import Mount, is_within
from rules.reading.pods.pods import readable
from rules.reading.references import Claim, find_claim
from rules.reading.shapes import (
    Undecided,
    answered,
    attempted,
    grouped,
    known,
    mappings_at,
    memoized,
    text_at,
)

_GPU_LABELS = "nvidia.com/gpu."
_OF_A_HOME = ("/.cache", "/.cache/huggingface", "/.cache/huggingface/hub")
_DIRECTORY_FLAG = "--download-dir"


@dataclass(frozen=True, slots=True, eq=False)
class ModelVolume:
    """One claim or directory of nodes, and the users that take a model from it or bring one."""

    name: str
    node_path: str | None
    """Path of the directory that every node has by itself; None for a claim."""
    users: Sequence[tuple[ModelUser, Mount]]
    found: Claim | Undecided | None

    @property
    def claim(self) -> Claim | None:
        """The claim that the graph makes; None where nothing that was read makes it."""
        return answered(self.found)

    @property
    def resource(self) -> Resource:
        """The claim's resource, or that of the first pod that mounts it."""
        return self.found.resource if isinstance(self.found, Claim) else self.users[0][0].resource

    @property
    def models(self) -> Mapping[str, ModelShape]:
        """Repository -> each gpt-oss model that somebody names; else a directory of a model's own name."""
        named = [reference for user, _ in self.users for reference in user.models]
        repositories = [each.repository for each in named if each.repository is not None]
        # A directory may be of one of the repositories, and counts once.
        texts = repositories or [each.text for each in named if each.is_path][:1]
        shapes = {text: GPT_OSS_MODELS.get(text.rpartition("/")[2].lower()) for text in texts}
        return {text: shape for text, shape in shapes.items() if shape is not None}

    def of_kind(self, *kinds: Kind) -> Sequence[ModelUser]:
        """The volume's users of these kinds."""
        return [user for user, _ in self.users if user.kind in kinds]


@memoized
def read_model_volumes(graph: ResourceGraph) -> Sequence[ModelVolume]:
    """All claims and directories from which a model is used, in the order of their users.

    A container that cannot be read is left out, and told by the rules about users.
    """
    mounts = ((user, known(user.model_mount)) for user in readable(read_model_users(graph)))
    volumes = grouped((_identity(user, mount), (user, mount)) for user, mount in mounts if mount is not None)
    return [
        ModelVolume(name, name, users, None)
        if namespace is None
        else ModelVolume(name, None, users, _found(graph, name, users))
        for (namespace, name), users in volumes.items()
    ]


def on_one_node(graph: ResourceGraph, users: Iterable[ModelUser]) -> bool:
    """Whether all these users run in one pool that has one node."""
    found = list({_only_pool(graph, user) for user in users})
    return len(found) == 1 and found[0] is not None and found[0][1] == 1


def hub_scratch(user: ModelUser) -> Mount | None:
    """The emptyDir that holds the user's cache of the hub; None where a claim or the image holds it."""
    cache = user.cache_directory
    if user.mount_of(cache) is not None or any(flag.name == _DIRECTORY_FLAG for flag in user.flags):
        return None
    scratches = [each for each in user.mounted if each.volume.get("emptyDir") is not None]
    held = [each for each in scratches if _holds(each.path, cache)]
    return max(held, key=lambda each: len(each.path), default=None)


def is_shared(user: ModelUser, mount: Mount) -> bool:
    """Whether another container of the pod mounts the volume too, and may fill it."""
    others = [each for _, each in all_containers(user.template) if each is not user.container]
    return any(
        text_at(each, "name") == mount.name for other in others for each in mappings_at(other, "volumeMounts")
    )


def _identity(user: ModelUser, mount: Mount) -> tuple[str | None, str]:
    """Namespace and name of a claim; of a directory of a node, which is one for every namespace, its path."""
    claim = mount.claim or "a claim without a known name"
    return (None, mount.node_path) if mount.node_path else (str(user.resource.namespace), claim)


def _found(
    graph: ResourceGraph, name: str, users: Sequence[tuple[ModelUser, Mount]]
) -> Claim | Undecided | None:
    claims = (attempted(find_claim, graph, user.resource, name) for user, _ in users)
    return next((claim for claim in claims if claim is not None), None)


def _only_pool(graph: ResourceGraph, user: ModelUser) -> tuple[str, int | None] | None:
    """Name and nodes of the only pool that the user can run in; None where it can run elsewhere too."""
    if user.worker is not None:
        placement = read_placement(graph, user.worker)
        return placement.name, placement.nodes
    labels = required_labels(user.template.spec)
    if not any(each.key.startswith(_GPU_LABELS) and each.operator in {"In", "Exists"} for each in labels):
        return None
    pools = selected_pools(graph, user.template)
    return (pools[0].name, pools[0].known_nodes) if len(pools) == 1 else None


def _holds(path: str, cache: str) -> bool:
    # Whose home `~` is the image decides; what is mounted at such a place is meant for the cache.
    return path.rstrip("/").endswith(_OF_A_HOME) if cache.startswith("~") else is_within(cache, path)
