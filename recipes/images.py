"""The container image of a recipe: its references, registries that stand in, and the platform's lines."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from engines.release import RUNTIME_TAGS, known_line_name
from recipes.strict_model import StrictModel

_DOCKER_HUB = "docker.io"


def mirrored(image: str, mirrors: Mapping[str, str]) -> str:
    """Return the reference of the image in its registry's mirror, or as it is where there is none.

    Args:
        image: as in a pod: `nvcr.io/nvidia/x:1`, or a short name of Docker Hub such as `python:3.10-slim`.
        mirrors: registry host -> what stands in its place, with or without a path behind the host.

    """
    host, _, repository = image.partition("/")
    # A user of Docker Hub has no such name (distribution/reference, `splitDockerDomain`).
    if not repository or not (host == "localhost" or "." in host or ":" in host):
        host, repository = _DOCKER_HUB, image
    if host == _DOCKER_HUB and "/" not in repository:
        repository = f"library/{repository}"
    mirror = mirrors.get(host)
    return image if mirror is None else f"{mirror.rstrip('/')}/{repository}"


class Runtime(StrictModel):
    """The container image of frontend and workers."""

    image: str
    """Repository without a tag."""
    version: str
    """Tag that the recipe's published values are from."""
    platform_lines: tuple[Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+$")], ...] = ()
    """Minor versions of the Dynamo platform on which the recipe stands, oldest first; none for a server that
    needs no platform."""

    @property
    def published_line(self) -> str | None:
        """Line of the platform that `version` is of; None for a server that needs no platform."""
        if not self.platform_lines:
            return None
        own = known_line_name(self.version)
        return own if own in self.platform_lines else self.platform_lines[0]

    @property
    def line_of_new_stacks(self) -> str | None:
        """The newest line that the recipe names, on which a new stack begins; None without a platform."""
        return self.platform_lines[-1] if self.platform_lines else None

    def version_on(self, line: str) -> str:
        """Return the tag of the image on a line of the platform that the recipe names.

        Raises:
            KeyError: nothing is known of the line.

        """
        return self.version if line == self.published_line else RUNTIME_TAGS[line]
