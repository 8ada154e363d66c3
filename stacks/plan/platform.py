"""The Dynamo platform that a stack brings along or finds, with its NATS and etcd."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from components import etcd_command, nats_configuration
from components.chart_values import Chart, HelmChartArgs
from components.servers import (
    BundledServers,
    EtcdArgs,
    EtcdServers,
    ExternalServers,
    NatsArgs,
    NatsServers,
    StatefulServersArgs,
    service_host,
)
from recipes.graph_manifest.placement import NODES_WITHOUT_GPUS
from recipes.images import mirrored
from recipes.model import Recipe
from resource_graph.spelling import nearest
from stacks.errors import Problem
from stacks.plan.versions import (
    ETCD_IMAGE,
    NATS_IMAGE,
    OPERATOR_IMAGE,
    PLATFORM_RELEASES,
    PlatformLine,
)
from stacks.plan.volume_sizes import GIB, size_in_gib
from stacks.settings import platform as settings
from stacks.settings.stack import StackSettings
from stacks.wording import alternatives

RELEASE_NAME = "dynamo-platform"
"""The platform's Helm release has it."""
NATS_NAME = "dynamo-nats"
ETCD_NAME = "dynamo-etcd"

_KEY = "platform.version"
# etcd's own default, far above what discovery needs.
_LARGEST_ETCD_QUOTA_BYTES = 2 * GIB
# The log, snapshots and the second copy that defragmentation writes stand beside the database.
_ETCD_SHARE_OF_VOLUME = 3
# A file system of 10 GiB holds less than 10 GiB; JetStream stops for good when a write finds no room.
_STREAM_PERCENT_OF_VOLUME = 90


@dataclass(frozen=True, slots=True)
class ExistingPlatform:
    """A Dynamo platform of which this stack registers nothing."""

    version: str
    namespace: str
    namespace_exists: bool
    """The owner's file says that others made its namespace; False where the platform is nobody's layer."""
    kind: Literal["existing"] = "existing"


@dataclass(frozen=True, slots=True)
class OwnPlatform:
    """The Dynamo platform: one Helm release with the operator, and the servers that it needs."""

    chart: Chart
    namespace: str
    """Operator, NATS and etcd run there."""
    discovery: settings.Discovery
    """Way in which workers and frontends find each other."""
    nats: NatsServers
    etcd: EtcdServers | None
    """Servers of etcd; None with discovery kubernetes, which needs no etcd."""
    operator_image: str | None
    """Repository of the operator's image, where a mirror replaces it; None: the chart's own."""
    timeout_seconds: int
    """How long the release, and each of its own servers, may take to become ready."""
    namespace_exists: bool
    """Others made its namespace."""
    custom_resource_definitions: tuple[str, ...]
    """What its installation leaves for ever."""
    kind: Literal["own"] = "own"

    @property
    def version(self) -> str:
        """The chart's."""
        return self.chart.version


PlatformPlan = OwnPlatform | ExistingPlatform


_Members = Callable[[str, str, settings.OwnNats | settings.OwnEtcd], StatefulServersArgs]
"""Name, image and settings of servers of the stack's own -> what they are made from."""


def platform_release(
    platform: settings.PlatformSettings | None, recipe: Recipe | None
) -> tuple[PlatformLine | None, tuple[Problem, ...]]:
    """Return the release of the platform, or why it cannot serve the recipe; None where none is needed."""
    is_needed = recipe is None or recipe.engine_server is None
    if platform is None:
        message = "is missing: the recipe is served by Dynamo"
        missing = Problem("platform", None, message, allowed="a mapping of kind own or existing")
        return None, (missing,) if is_needed else ()
    if recipe and not is_needed:
        message = f"nothing would use it: {recipe.name} is served by {recipe.server}, without Dynamo"
        return None, (Problem("platform", platform.kind, message, suggestion="leave it out"),)
    version = platform.version
    release = PLATFORM_RELEASES.get(version)
    known = ", ".join(f'"{known}"' for known in PLATFORM_RELEASES)
    if release is None:
        message = "not a platform release that this project was written for"
        meant = nearest(version, PLATFORM_RELEASES)
        suggestion = f'"{meant}"' if meant else None
        return None, (Problem(_KEY, version, message, allowed=known, suggestion=suggestion),)
    if recipe and release.line not in recipe.runtime.platform_lines:
        return None, (_of_no_line(recipe, version),)
    return release, ()


def platform_problems(platform: settings.PlatformSettings | None) -> Iterator[Problem]:
    """Yield which settings of the platform contradict each other."""
    if not isinstance(platform, settings.OwnPlatform):
        return
    etcd = platform.etcd
    if platform.discovery == "etcd" and etcd is None:
        message = "is missing: with discovery etcd, workers and frontends find each other in it"
        allowed = "a mapping of kind own, bundled or external"
        suggestion = "add platform.etcd, or leave platform.discovery out"
        yield Problem("platform.etcd", None, message, allowed=allowed, suggestion=suggestion)
    elif platform.discovery == "kubernetes" and etcd is not None:
        message = "nothing would use it: with discovery kubernetes no part of Dynamo connects to etcd"
        suggestion = "leave platform.etcd out, or write platform.discovery: etcd"
        yield Problem("platform.etcd", etcd.kind, message, suggestion=suggestion)


def platform_plan(
    platform: settings.OwnPlatform | settings.ExistingPlatform, release: PlatformLine, stack: StackSettings
) -> PlatformPlan:
    """Return the platform with every address worked out."""
    if isinstance(platform, settings.ExistingPlatform):
        return ExistingPlatform(release.version, platform.namespace, namespace_exists=False)
    namespace = settings.namespace_name(platform.namespace)
    mirrors = stack.image_mirrors
    operator = mirrored(OPERATOR_IMAGE, mirrors)

    def members(name: str, image: str, wanted: settings.OwnNats | settings.OwnEtcd) -> StatefulServersArgs:
        return StatefulServersArgs(
            name=name,
            namespace=namespace,
            members=wanted.members,
            image=mirrored(image, mirrors),
            storage_class_name=wanted.storage_class_name,
            volume_size=wanted.volume_size,
            keep_volumes=stack.lifecycle == "production",
            node_affinity=NODES_WITHOUT_GPUS,
            ready_timeout_seconds=platform.install_timeout_seconds,
        )

    return OwnPlatform(
        chart=release.chart,
        namespace=namespace,
        discovery=platform.discovery,
        nats=_nats(platform.nats, namespace, members),
        etcd=_etcd(platform.etcd, namespace, members) if platform.etcd else None,
        operator_image=operator if operator != OPERATOR_IMAGE else None,
        timeout_seconds=platform.install_timeout_seconds,
        namespace_exists=not isinstance(platform.namespace, str),
        custom_resource_definitions=release.custom_resource_definitions,
    )


def _of_no_line(recipe: Recipe, version: str) -> Problem:
    """Say on which lines the recipe stands, and what to write instead."""
    lines = recipe.runtime.platform_lines
    stands = f"recipe {recipe.name} stands on platform {alternatives(lines)}, not on this one"
    message = f"{stands}: nothing is known of its engine's options there"
    releases = [known for known, release in PLATFORM_RELEASES.items() if release.line in lines]
    allowed = ", ".join(f'"{release}"' for release in releases) or None
    suggestion = "one of these, or a recipe that stands on this one (`dynamo-stack list`)"
    return Problem(_KEY, version, message, allowed=allowed, suggestion=suggestion)


def _nats(nats: settings.Nats, namespace: str, members: _Members) -> NatsServers:
    match nats:
        case settings.OwnNats():
            volume_bytes = size_in_gib(nats.volume_size) * GIB
            return NatsArgs(
                members(NATS_NAME, NATS_IMAGE, nats),
                max_file_store_bytes=volume_bytes * _STREAM_PERCENT_OF_VOLUME // 100,
            )
        case settings.BundledNats():
            host = service_host(f"{RELEASE_NAME}-nats", namespace)
            return BundledServers(f"nats://{host}:{nats_configuration.CLIENT_PORT}", nats.storage_class_name)
        case settings.ExternalNats():
            return ExternalServers(nats.address)


def _etcd(etcd: settings.Etcd, namespace: str, members: _Members) -> EtcdServers:
    match etcd:
        case settings.OwnEtcd():
            volume_bytes = size_in_gib(etcd.volume_size) * GIB
            return EtcdArgs(
                members(ETCD_NAME, ETCD_IMAGE, etcd),
                quota_bytes=min(_LARGEST_ETCD_QUOTA_BYTES, volume_bytes // _ETCD_SHARE_OF_VOLUME),
                rejoining=etcd.rejoining,
            )
        case settings.BundledEtcd():
            # The chart's operator writes the address like this: without a scheme.
            host = service_host(f"{RELEASE_NAME}-etcd", namespace)
            return BundledServers(f"{host}:{etcd_command.CLIENT_PORT}", etcd.storage_class_name)
        case settings.ExternalEtcd():
            return ExternalServers(",".join(etcd.addresses))


def dynamo_platform(platform: OwnPlatform) -> HelmChartArgs:
    """Return what every graph depends on: without the operator one is refused, or cannot be deleted."""
    return HelmChartArgs(
        component="DynamoPlatform",
        chart=platform.chart,
        release_name=RELEASE_NAME,
        namespace=platform.namespace,
        values=release_values(platform),
        timeout_seconds=platform.timeout_seconds,
        outputs={"releaseName": RELEASE_NAME},
    )


def release_values(platform: OwnPlatform) -> dict[str, Any]:
    """Return the values of the chart; every key that a later chart would turn around is written out.

    The chart has no schema: an unknown key would pass in silence.
    """
    operator: dict[str, Any] = {
        "discoveryBackend": platform.discovery,
        # Lets the operator bring the definitions up to its own version at every start.
        "upgradeCRD": True,
    }
    if not isinstance(platform.nats, BundledServers):
        operator["natsAddr"] = platform.nats.address
    if platform.etcd and not isinstance(platform.etcd, BundledServers):
        operator["etcdAddr"] = platform.etcd.address
    if platform.operator_image:
        operator["controllerManager"] = {"manager": {"image": {"repository": platform.operator_image}}}
    values: dict[str, Any] = {
        "global": {
            # Dynamo 1.2 sends its events through NATS. The chart bundles it by default through 1.3 and no
            # longer from 1.4, so an upgrade would take it away from running workers (ai-dynamo/dynamo#11951).
            "nats": {"install": isinstance(platform.nats, BundledServers)},
            "etcd": {"install": isinstance(platform.etcd, BundledServers)},
            "grove": {"install": False},
            "kai-scheduler": {"install": False},
        },
        "dynamo-operator": operator,
    }
    # Many clusters have no default class, and then a server waits for its volume for ever.
    if isinstance(platform.nats, BundledServers):
        claim = {"storageClassName": platform.nats.storage_class_name}
        values["nats"] = {"config": {"jetstream": {"fileStore": {"pvc": claim}}}}
    if isinstance(platform.etcd, BundledServers):
        values["etcd"] = {"persistence": {"storageClass": platform.etcd.storage_class_name}}
    return values
