"""The Dynamo platform that a stack brings along or finds, with its NATS and etcd."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from engines.release import line_name
from recipes.images import mirrored
from recipes.model import Recipe
from resource_graph.spelling import nearest
from stacks.errors import Problem
from stacks.plan.platform import etcd_command, nats_configuration
from stacks.plan.versions import (
    ETCD_IMAGE,
    NATS_IMAGE,
    OPERATOR_IMAGE,
    PLATFORM_RELEASES,
)
from stacks.settings import platform as settings
from stacks.settings.stack import StackSettings
from stacks.wording import alternatives

RELEASE_NAME = "dynamo-platform"
"""The platform's Helm release has it."""
NATS_NAME = "dynamo-nats"
ETCD_NAME = "dynamo-etcd"
DATA_VOLUME = "data"
"""Name of the volume claim template of both; a claim is called <this>-<server>-<member>."""

_KEY = "platform.version"


@dataclass(frozen=True, slots=True)
class Servers:
    """Members of NATS or etcd of the stack's own: their settings, and what follows from them."""

    typed: settings.OwnNats | settings.OwnEtcd
    name: str
    """The StatefulSet and the Service for clients have it; members are <name>-0, <name>-1, …"""
    namespace: str
    """Of the platform."""
    image: str
    keep_volumes: bool
    """Leave the members' claims in the cluster when the StatefulSet goes."""
    ready_timeout_seconds: int

    @property
    def headless_name(self) -> str:
        """The Service that gives each member a DNS name."""
        return f"{self.name}-headless"

    @property
    def hosts(self) -> dict[str, str]:
        """DNS name of each member, by the name of its pod."""
        names = (f"{self.name}-{ordinal}" for ordinal in range(self.typed.members))
        return {name: f"{name}.{self.headless_name}.{self.namespace}.svc.cluster.local" for name in names}

    @property
    def claim_names(self) -> tuple[str, ...]:
        """The volume claims, in the names that the StatefulSet gives them."""
        return tuple(f"{DATA_VOLUME}-{member}" for member in self.hosts)


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

    typed: settings.OwnPlatform
    version: str
    """Release of the chart, and with it of the operator."""
    namespace: str
    """Operator, NATS and etcd run there."""
    nats: Servers | None
    """The stack's own; None: the chart brings one, or others run it."""
    etcd: Servers | None
    """As of NATS; and with discovery kubernetes nothing needs etcd."""
    operator_image: str | None
    """Repository of the operator's image, where a mirror replaces it; None: the chart's own."""
    namespace_exists: bool
    """Others made its namespace."""
    kind: Literal["own"] = "own"

    @property
    def nats_address(self) -> str:
        """The URL that clients of NATS are given."""
        match self.typed.nats:
            case settings.ExternalNats(address=address):
                return address
            case settings.BundledNats():
                service = f"{RELEASE_NAME}-nats"
            case settings.OwnNats():
                service = NATS_NAME
        return f"nats://{service}.{self.namespace}.svc.cluster.local:{nats_configuration.CLIENT_PORT}"

    @property
    def etcd_address(self) -> str:
        """The addresses that clients of etcd, where there is one, are given, separated by commas."""
        if isinstance(self.typed.etcd, settings.ExternalEtcd):
            return ",".join(self.typed.etcd.addresses)
        if self.etcd:
            # Through one balancing address a client would stay with a member that has lost the others.
            return ",".join(f"http://{host}:{etcd_command.CLIENT_PORT}" for host in self.etcd.hosts.values())
        # The chart's operator writes the address like this: without a scheme.
        return f"{RELEASE_NAME}-etcd.{self.namespace}.svc.cluster.local:{etcd_command.CLIENT_PORT}"


PlatformPlan = OwnPlatform | ExistingPlatform


def release_problems(platform: settings.PlatformSettings | None, recipe: Recipe | None) -> Iterator[Problem]:
    """Yield why the platform cannot serve the recipe, or that one is missing or not needed."""
    is_needed = recipe is None or recipe.engine_server is None
    if platform is None:
        message = "is missing: the recipe is served by Dynamo"
        if is_needed:
            yield Problem("platform", None, message, allowed="a mapping of kind own or existing")
    elif recipe and not is_needed:
        message = f"nothing would use it: {recipe.name} is served by {recipe.server}, without Dynamo"
        yield Problem("platform", platform.kind, message, suggestion="leave it out")
    elif platform.version not in PLATFORM_RELEASES:
        known = ", ".join(f'"{known}"' for known in PLATFORM_RELEASES)
        message = "not a platform release that this project was written for"
        meant = nearest(platform.version, PLATFORM_RELEASES)
        suggestion = f'"{meant}"' if meant else None
        yield Problem(_KEY, platform.version, message, allowed=known, suggestion=suggestion)
    elif recipe and line_name(platform.version) not in recipe.runtime.platform_lines:
        yield _of_no_line(recipe, platform.version)


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
    platform: settings.OwnPlatform | settings.ExistingPlatform, stack: StackSettings
) -> PlatformPlan:
    """Return the platform with every address worked out."""
    if isinstance(platform, settings.ExistingPlatform):
        return ExistingPlatform(platform.version, platform.namespace, namespace_exists=False)
    namespace = settings.namespace_name(platform.namespace)
    mirrors = stack.image_mirrors
    operator = mirrored(OPERATOR_IMAGE, mirrors)

    def servers(name: str, image: str, typed: settings.Nats | settings.Etcd | None) -> Servers | None:
        if not isinstance(typed, settings.OwnNats | settings.OwnEtcd):
            return None
        keep_volumes, seconds = stack.lifecycle == "production", platform.install_timeout_seconds
        return Servers(typed, name, namespace, mirrored(image, mirrors), keep_volumes, seconds)

    return OwnPlatform(
        typed=platform,
        version=platform.version,
        namespace=namespace,
        nats=servers(NATS_NAME, NATS_IMAGE, platform.nats),
        etcd=servers(ETCD_NAME, ETCD_IMAGE, platform.etcd),
        operator_image=operator if operator != OPERATOR_IMAGE else None,
        namespace_exists=not isinstance(platform.namespace, str),
    )


def _of_no_line(recipe: Recipe, version: str) -> Problem:
    """Say on which lines the recipe stands, and what to write instead."""
    lines = recipe.runtime.platform_lines
    stands = f"recipe {recipe.name} stands on platform {alternatives(lines)}, not on this one"
    message = f"{stands}: nothing is known of its engine's options there"
    releases = [known for known in PLATFORM_RELEASES if line_name(known) in lines]
    allowed = ", ".join(f'"{release}"' for release in releases) or None
    suggestion = "one of these, or a recipe that stands on this one (`dynamo-stack list`)"
    return Problem(_KEY, version, message, allowed=allowed, suggestion=suggestion)


def release_values(platform: OwnPlatform) -> dict[str, Any]:
    """Return the values of the chart; every key that a later chart would turn around is written out.

    The chart has no schema: an unknown key would pass in silence.
    """
    operator: dict[str, Any] = {
        "discoveryBackend": platform.typed.discovery,
        # Lets the operator bring the definitions up to its own version at every start.
        "upgradeCRD": True,
    }
    nats, etcd = platform.typed.nats, platform.typed.etcd
    if not isinstance(nats, settings.BundledNats):
        operator["natsAddr"] = platform.nats_address
    if etcd and not isinstance(etcd, settings.BundledEtcd):
        operator["etcdAddr"] = platform.etcd_address
    if platform.operator_image:
        operator["controllerManager"] = {"manager": {"image": {"repository": platform.operator_image}}}
    values: dict[str, Any] = {
        "global": {
            # Dynamo 1.2 sends its events through NATS. The chart bundles it by default through 1.3 and no
            # longer from 1.4, so an upgrade would take it away from running workers (ai-dynamo/dynamo#11951).
            "nats": {"install": isinstance(nats, settings.BundledNats)},
            "etcd": {"install": isinstance(etcd, settings.BundledEtcd)},
            "grove": {"install": False},
            "kai-scheduler": {"install": False},
        },
        "dynamo-operator": operator,
    }
    # Many clusters have no default class, and then a server waits for its volume for ever.
    if isinstance(nats, settings.BundledNats):
        claim = {"storageClassName": nats.storage_class_name}
        values["nats"] = {"config": {"jetstream": {"fileStore": {"pvc": claim}}}}
    if isinstance(etcd, settings.BundledEtcd):
        values["etcd"] = {"persistence": {"storageClass": etcd.storage_class_name}}
    return values
