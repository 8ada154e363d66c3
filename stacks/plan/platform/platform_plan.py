"""The Dynamo platform that a stack brings along or finds, with its NATS and etcd."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from engines.release import line_name
from recipes.images import mirrored
from recipes.model import Recipe
from resource_graph.spelling import nearest
from stacks.errors import Problem
from stacks.plan.platform.servers import Servers
from stacks.plan.versions import (
    ETCD_IMAGE,
    NATS_IMAGE,
    OPERATOR_IMAGE,
    PLATFORM_RELEASES,
)
from stacks.settings import platform as settings
from stacks.settings.stack import StackSettings
from stacks.wording import alternatives

NATS_NAME = "dynamo-nats"
ETCD_NAME = "dynamo-etcd"

_KEY = "platform.version"


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

    version: str
    """Release of the chart, and with it of the operator."""
    namespace: str
    """Operator, NATS and etcd run there."""
    discovery: settings.Discovery
    """Way in which workers and frontends find each other."""
    nats: Servers
    etcd: Servers | None
    """Servers of etcd; None with discovery kubernetes, which needs no etcd."""
    operator_image: str | None
    """Repository of the operator's image, where a mirror replaces it; None: the chart's own."""
    timeout_seconds: int
    """How long the release, and each of its own servers, may take to become ready."""
    namespace_exists: bool
    """Others made its namespace."""
    kind: Literal["own"] = "own"


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

    def servers(name: str, image: str, typed: settings.Nats | settings.Etcd) -> Servers:
        keep_volumes, seconds = stack.lifecycle == "production", platform.install_timeout_seconds
        return Servers(typed, name, namespace, mirrored(image, mirrors), keep_volumes, seconds)

    return OwnPlatform(
        version=platform.version,
        namespace=namespace,
        discovery=platform.discovery,
        nats=servers(NATS_NAME, NATS_IMAGE, platform.nats),
        etcd=servers(ETCD_NAME, ETCD_IMAGE, platform.etcd) if platform.etcd else None,
        operator_image=operator if operator != OPERATOR_IMAGE else None,
        timeout_seconds=platform.install_timeout_seconds,
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
        "discoveryBackend": platform.discovery,
        # Lets the operator bring the definitions up to its own version at every start.
        "upgradeCRD": True,
    }
    nats, etcd = platform.nats.typed, platform.etcd and platform.etcd.typed
    if not isinstance(nats, settings.BundledNats):
        operator["natsAddr"] = platform.nats.address
    if platform.etcd and not isinstance(etcd, settings.BundledEtcd):
        operator["etcdAddr"] = platform.etcd.address
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
