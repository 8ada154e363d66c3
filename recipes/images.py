"""Image references, and the registries that stand in for the public ones."""

from collections.abc import Mapping

DOCKER_HUB = "docker.io"


def mirrored(image: str, mirrors: Mapping[str, str]) -> str:
    """Return the reference of the image in its registry's mirror, or as it is where there is none.

    Args:
        image: as in a pod: `nvcr.io/nvidia/x:1`, or a short name of Docker Hub such as `python:3.10-slim`.
        mirrors: registry host -> what stands in its place, with or without a path behind the host.

    """
    host, repository = registry_and_repository(image)
    mirror = mirrors.get(host)
    return image if mirror is None else f"{mirror.rstrip('/')}/{repository}"


def registry_and_repository(image: str) -> tuple[str, str]:
    """Return the registry's host and what follows it, with the tag or digest.

    A short name is resolved as container runtimes do: `python` is `docker.io/library/python`. The first part
    is a host only if it could not be a user of Docker Hub (distribution/reference, `splitDockerDomain`).
    """
    first, slash, rest = image.partition("/")
    if slash and (first == "localhost" or "." in first or ":" in first):
        return first, rest if first != DOCKER_HUB or "/" in rest else f"library/{rest}"
    return DOCKER_HUB, image if slash else f"library/{image}"
