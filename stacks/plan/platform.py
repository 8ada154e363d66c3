"""The Dynamo platform that a stack brings along or finds."""

from collections.abc import Mapping

from recipes.images import DOCKER_HUB, mirrored
from recipes.model import Recipe
from stacks.errors import Problem
from stacks.nearest import nearest
from stacks.plan.resolved import ResolvedPlatform
from stacks.plan.servers import resolved_etcd, resolved_nats
from stacks.plan.versions import CHART, CHART_REPOSITORY, OPERATOR_IMAGE, PLATFORM_RELEASES, PlatformRelease
from stacks.settings.platform import ExistingPlatform, OwnEtcd, OwnPlatform, namespace_name

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
    platform: OwnPlatform | ExistingPlatform, mirrors: Mapping[str, str]
) -> tuple[Problem, ...]:
    """Return which parts of the platform's settings contradict each other, or the mirrors of images."""
    if isinstance(platform, ExistingPlatform):
        return ()
    return (*_etcd_problems(platform), *_beside_the_mirror(platform, mirrors))


def resolved_platform(
    platform: OwnPlatform | ExistingPlatform, release: PlatformRelease, mirrors: Mapping[str, str]
) -> ResolvedPlatform:
    """Return the platform with every address worked out."""
    own = platform if isinstance(platform, OwnPlatform) else None
    namespace = namespace_name(platform.namespace)
    operator = mirrored(OPERATOR_IMAGE, mirrors)
    return ResolvedPlatform(
        kind=platform.kind,
        version=release.version,
        chart=CHART,
        repository=CHART_REPOSITORY,
        release_name=RELEASE_NAME,
        namespace=namespace,
        namespace_exists=own is not None and not isinstance(own.namespace, str),
        graph_api=platform.graph_api,
        discovery=own.discovery if own else None,
        nats=resolved_nats(own.nats, namespace, RELEASE_NAME, mirrors) if own else None,
        etcd=resolved_etcd(own.etcd, namespace, RELEASE_NAME, mirrors) if own and own.etcd else None,
        install_timeout_seconds=own.install_timeout_seconds if own else 0,
        custom_resource_definitions=release.custom_resource_definitions if own else (),
        operator_image=operator if own and operator != OPERATOR_IMAGE else None,
    )


def _beside_the_mirror(platform: OwnPlatform, mirrors: Mapping[str, str]) -> list[Problem]:
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


def _etcd_problems(platform: OwnPlatform) -> tuple[Problem, ...]:
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
    if isinstance(etcd, OwnEtcd) and etcd.rejoining and etcd.members == 1:
        message = "a single member has no others to join: its data is what is on its volume"
        return (Problem("platform.etcd.rejoining", True, message, suggestion="leave it out"),)
    return ()
