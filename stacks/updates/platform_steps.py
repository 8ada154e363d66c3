"""The releases that an upgrade of the platform goes through, one `pulumi up` each."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from stacks.plan.versions import PLATFORM_LINES, PLATFORM_RELEASES


def ordered(releases: Sequence[str]) -> tuple[str, ...]:
    """Return releases such as 1.10.0, the oldest first."""
    return tuple(sorted(releases, key=_numbers))


def is_older(release: str, other: str) -> bool:
    """Whether a release comes before another one."""
    return _numbers(release) < _numbers(other)


def upgrade_steps(present: str, target: str, stored: Mapping[str, str]) -> tuple[str, ...]:
    """Return the releases to bring up one after the other, the target last.

    An upgrade stops at the last release before the API server stores graphs in another version. The operator
    there still writes what is stored, and serves both versions; the next one finds nothing else to move.

    Args:
        present: the release that is left.
        target: a newer one.
        stored: release -> version in which the API server stores graphs, for all releases there are.

    """
    between = [one for one in ordered(tuple(stored)) if is_older(present, one) and not is_older(target, one)]
    last = [one for one, after in pairwise(between) if stored[one] != stored[after]]
    return (*last, target)


def stored_versions() -> dict[str, str]:
    """Return every release with the version in which the API server stores graphs under it."""
    return {
        version: PLATFORM_LINES[release.line].stored_graph_api.value
        for version, release in PLATFORM_RELEASES.items()
    }


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(number) for number in release.split("."))
