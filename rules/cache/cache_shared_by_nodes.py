"""A claim that pods on several nodes mount allows that."""

from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.shapes import Undecided
from rules.reading.storage.model_volumes import ModelVolume, check_model_volumes
from rules.reading.storage.one_node import on_one_node

_MANY, _MANY_READERS, _ONE_POD = "ReadWriteMany", "ReadOnlyMany", "ReadWriteOncePod"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_volumes(graph, lambda volume: _check_volume(graph, volume))


def _check_volume(graph: ResourceGraph, volume: ModelVolume) -> Iterator[Observation]:
    if volume.node_path is not None:
        return
    # A download is done, and its volume free again, before the others start.
    users = {user.template: user for user in volume.of_kind("worker", "frontend", "benchmark")}
    pods = {user.name: user.template.replicas * user.template.pods_per_replica for user in users.values()}
    total = sum(pods.values())
    if total <= 1:
        return
    if volume.claim is None:
        raise Undecided(
            f"{total} pods mount it ({_listed(pods)}), and nothing that was read says how it may be mounted"
        )
    modes = volume.claim.modes
    if _MANY in modes or (_MANY_READERS in modes and _only_read(volume)):
        return
    if _ONE_POD not in modes and on_one_node(graph, users.values()):
        return
    found = ", ".join(modes) or "no access mode"
    yield failed(
        volume.claim.resource,
        volume.name,
        f"allows {found}, but {total} pods mount it ({_listed(pods)}), and nothing keeps them on one node",
    )


def _listed(pods: Mapping[str, int]) -> str:
    return " + ".join(f"{count} of {name}" for name, count in pods.items())


def _only_read(volume: ModelVolume) -> bool:
    return all(mount.read_only for user, mount in volume.users if user.kind != "download")


RULE = Rule(
    id="cache-shared-by-nodes",
    title="A model claim that pods on several nodes mount allows that",
    severity=Severity.MANDATORY,
    reason=(
        "A volume that is ReadWriteOnce is attached to one node: on every other one pods hang in "
        "ContainerCreating. Frontend, workers and benchmark usually stand on different nodes."
    ),
    source="https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes",
    lines=EVERY_RELEASE,
    fix=(
        "Ask for ReadWriteMany with a class that has it (EFS, FSx for Lustre, NFS), or for ReadOnlyMany "
        "where all pods mount it readOnly; or let every pod that mounts it select a pool of one node."
    ),
    check=_check,
)
