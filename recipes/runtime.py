"""The container image of a recipe, and the lines of the Dynamo platform on which the recipe stands."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from engines.release import known_line_name
from engines.runtime_lines import RUNTIME_LINES
from recipes.strict_model import StrictModel

PlatformLineName = Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+$")]


class Runtime(StrictModel):
    """The container image of frontend and workers."""

    image: str
    """Repository without a tag."""
    version: str
    """Tag that the recipe's published values are from."""
    platform_lines: tuple[PlatformLineName, ...] = ()
    """Minor versions of the Dynamo platform on which the recipe stands, oldest first; none for a server that
    needs no platform."""
    other_versions: Mapping[PlatformLineName, str] = Field(default_factory=dict[str, str])
    """Line -> tag of the image there, where it is not the one that is used of that line."""

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
        if line == self.published_line:
            return self.version
        return self.other_versions.get(line) or RUNTIME_LINES[line].version.value
