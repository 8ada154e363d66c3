"""Claims that hold a model, and everybody who uses one."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hardware import GPT_OSS_MODELS, ModelShape
from resource_graph import Resource, ResourceGraph
from rules.model import Observation, undecided
from rules.reading.claims import Claim, Mount, find_claim
from rules.reading.model_users import Kind, ModelUser, read_model_users
from rules.reading.once import once_per_graph
from rules.reading.pods import Unreadable
from rules.reading.shapes import Undecided


@dataclass(slots=True, eq=False)
class ModelVolume:
    """One claim, and who takes a model from it or brings one."""

    name: str
    claim: Claim | None = None
    """None where nothing that was read makes it."""
    users: list[tuple[ModelUser, Mount]] = field(default_factory=list[tuple[ModelUser, Mount]])

    @property
    def resource(self) -> Resource:
        """The claim, or whoever mounts it first."""
        return self.users[0][0].resource if self.claim is None else self.claim.resource

    @property
    def models(self) -> Mapping[str, ModelShape]:
        """Repository -> each gpt-oss model that somebody names."""
        return {
            reference.repository: GPT_OSS_MODELS[name]
            for user, _ in self.users
            for reference in user.models
            if reference.repository is not None
            and (name := reference.repository.rpartition("/")[2].lower()) in GPT_OSS_MODELS
        }

    def of_kind(self, *kinds: Kind) -> Sequence[ModelUser]:
        """Its users of these kinds."""
        return [user for user, _ in self.users if user.kind in kinds]


@once_per_graph
def read_model_volumes(graph: ResourceGraph) -> Sequence[ModelVolume | Unreadable]:
    """All claims from which a model is used, in the order of their users."""
    volumes: dict[tuple[str, str], ModelVolume] = {}
    unreadable: list[Unreadable] = []
    for user in read_model_users(graph):
        if isinstance(user, Unreadable):
            unreadable.append(user)
            continue
        try:
            mount = user.model_mount
        except Undecided as reason:
            unreadable.append(Unreadable(user.resource, user.name, str(reason)))
            continue
        if mount is None:
            continue
        key = (str(user.resource.namespace), mount.claim)
        volume = volumes.setdefault(key, ModelVolume(mount.claim))
        volume.users.append((user, mount))
    found: list[ModelVolume | Unreadable] = []
    for volume in volumes.values():
        try:
            volume.claim = _claim(graph, volume)
        except Undecided as reason:
            unreadable.append(Unreadable(volume.resource, volume.name, str(reason)))
            continue
        found.append(volume)
    return (*found, *unreadable)


def check_model_volumes(
    graph: ResourceGraph, check: Callable[[ModelVolume], Iterable[Observation]]
) -> Iterator[Observation]:
    """Apply a check to every volume; what cannot be read becomes an undecided observation."""
    for volume in read_model_volumes(graph):
        if isinstance(volume, Unreadable):
            yield undecided(volume.resource, volume.name, volume.reason)
            continue
        try:
            yield from check(volume)
        except Undecided as reason:
            yield undecided(volume.resource, volume.name, str(reason))


def check_model_users(
    graph: ResourceGraph, check: Callable[[ModelUser], Iterable[Observation]]
) -> Iterator[Observation]:
    """Apply a check to everybody who uses a model; what cannot be read becomes undecided."""
    for user in read_model_users(graph):
        if isinstance(user, Unreadable):
            yield undecided(user.resource, user.name, user.reason)
            continue
        try:
            yield from check(user)
        except Undecided as reason:
            yield undecided(user.resource, user.name, str(reason))


def _claim(graph: ResourceGraph, volume: ModelVolume) -> Claim | None:
    for owner in dict.fromkeys(user.resource.urn for user, _ in volume.users):
        resource = graph.find(owner)
        claim = None if resource is None else find_claim(graph, resource, volume.name)
        if claim is not None:
            return claim
    return None
