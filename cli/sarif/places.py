"""Where a finding stands: one line of one file."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from rules.model import Finding


@dataclass(frozen=True, slots=True)
class Place:
    """One line of one file."""

    uri: str
    """Path from the root of the git checkout, so that it is the same in every run; percent-encoded."""
    line: int
    """Counted from 1."""


def place_in_manifest(finding: Finding) -> Place | None:
    """Return the line of a finding in the file that it was read from; None where it stands in no file."""
    origin = finding.observation.resource.origin
    if origin is None:
        return None
    return Place(uri_of(Path(origin.file)), max(1, origin.line_of(finding.observation.path)))


def uri_of(file: Path) -> str:
    """Return the file's path from the root of the git checkout; outside one, from the current folder."""
    full, here = file.absolute(), Path.cwd()
    root = next((each for each in (here, *here.parents) if (each / ".git").exists()), here)
    return quote(full.relative_to(root).as_posix()) if full.is_relative_to(root) else full.as_uri()
