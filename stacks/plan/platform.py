"""The Dynamo platform that a stack brings along or finds."""

from collections.abc import Mapping

from components.platform_release import DynamoPlatformArgs
from recipes.images import DOCKER_HUB, mirrored
from recipes.model import Recipe
from stacks.errors import Problem
from stacks.nearest import nearest
from stacks.plan.servers import ServerPlace, etcd_servers, nats_servers
from stacks.plan.stack_plan import ExistingPlatform, Lifecycle, OwnPlatform, PlatformPlan
from stacks.plan.versions import CHART, CHART_REPOSITORY, OPERATOR_IMAGE, PLATFORM_RELEASES, PlatformRelease
from stacks.settings import platform as settings

RELEASE_NAME = "dynamo-platform"
_KEY = "platform.version"


def platform_release(
    version: str, recipe: Recipe | None
) -> tuple[PlatformRelease | None, tuple[Problem, ...]]:
    """Return the release of that version, or why it cannot serve the recipe."""
    release = PLATFORM_RELEASES.get(version)
    known = ", ".join(f'"{known}"' for known in PLATFORM_RELEASES)
    if release is None:
        message = "not a platform release that this project was written for"
        meant = nearest(version, PLATFORM_RELEASES)
        suggestion = f'"{meant}"' if meant else None
        return None, (Problem(_KEY, version, message, allowed=known, suggestion=suggestion),)
    if recipe and recipe.runtime.platform_line != release.line:
        message = f"recipe {recipe.name} is written for platform {recipe.runtime.platform_line}"
        return None, (Problem(_KEY, version, message, allowed=known),)
    return release, ()


def platform_problems(
    platform: settings.OwnPlatform | settings.ExistingPlatform, mirrors: Mapping[str, str]
) -> tuple[Problem, ...]:
    """Return which parts of the platform's settings contradict each other, or the mirrors of images."""
    if isinstance(platform, settings.ExistingPlatform):
        return ()
    return (*_etcd_problems(platform), *_beside_the_mirror(platform, mirrors))


def resolved_platform(
    platform: settings.OwnPlatform | settings.ExistingPlatform,
    release: PlatformRelease,
    mirrors: Mapping[str, str],
    lifecycle: Lifecycle,
) -> PlatformPlan:
    """Return the platform with every address worked out."""
    if isinstance(platform, settings.ExistingPlatform):
        return ExistingPlatform(
            release.version, platform.namespace, namespace_exists=False, graph_api=platform.graph_api
        )
    place = ServerPlace(platform, RELEASE_NAME, mirrors, keep_volumes=lifecycle == "production")
    operator = mirrored(OPERATOR_IMAGE, mirrors)
    return OwnPlatform(
        release=DynamoPlatformArgs(
            release_name=RELEASE_NAME,
            namespace=place.namespace,
            chart=CHART,
            version=release.version,
            repository=CHART_REPOSITORY,
            discovery=platform.discovery,
            nats=nats_servers(platform.nats, place),
            etcd=etcd_servers(platform.etcd, place) if platform.etcd else None,
            operator_image=operator if operator != OPERATOR_IMAGE else None,
            timeout_seconds=platform.install_timeout_seconds,
        ),
        namespace_exists=not isinstance(platform.namespace, str),
        graph_api=platform.graph_api,
        custom_resource_definitions=release.custom_resource_definitions,
    )


def _beside_the_mirror(platform: settings.OwnPlatform, mirrors: Mapping[str, str]) -> list[Problem]:
    if DOCKER_HUB not in mirrors:
        return []
    bundled = {
        "platform.nats": platform.nats.kind == "bundled",
        "platform.etcd": platform.etcd is not None and platform.etcd.kind == "bundled",
    }
    message = f"the chart's own server is pulled from {DOCKER_HUB}, past the mirror in imageMirrors"
    return [
        Problem(f"{key}.kind", "bundled", message, allowed="own or external", suggestion="kind: own")
        for key, is_bundled in bundled.items()
        if is_bundled
    ]


def _etcd_problems(platform: settings.OwnPlatform) -> tuple[Problem, ...]:
    etcd = platform.etcd
    if platform.discovery == "etcd" and etcd is None:
        message = "is missing: with discovery etcd, workers and frontends find each other in it"
        return (
            Problem(
                "platform.etcd",
                None,
                message,
                allowed="a mapping of kind own, bundled or external",
                suggestion="add platform.etcd, or leave platform.discovery out",
            ),
        )
    if platform.discovery == "kubernetes" and etcd is not None:
        message = "nothing would use it: with discovery kubernetes no part of Dynamo connects to etcd"
        return (
            Problem(
                "platform.etcd",
                etcd.kind,
                message,
                suggestion="leave platform.etcd out, or write platform.discovery: etcd",
            ),
        )
    if isinstance(etcd, settings.OwnEtcd) and etcd.rejoining and etcd.members == 1:
        message = "a single member has no others to join: its data is what is on its volume"
        return (Problem("platform.etcd.rejoining", True, message, suggestion="leave it out"),)
    return ()
