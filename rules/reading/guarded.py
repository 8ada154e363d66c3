"""Applies a check to resources one by one; what is unknown of one leaves the others judged."""

from collections.abc import Callable, Iterable, Iterator

from resource_graph import Resource
from rules.model import Observation, failed, undecided
from rules.reading.shapes import Undecided


def check_resources(
    resources: Iterable[Resource], check: Callable[[Resource], Iterable[Observation]]
) -> Iterator[Observation]:
    """What the check sees of each resource; what it cannot read becomes an undecided observation."""
    for resource in resources:
        try:
            yield from check(resource)
        except Undecided as reason:
            yield undecided(resource, resource.name, str(reason))


def check_messages(
    resources: Iterable[Resource], check: Callable[[Resource], Iterable[str]]
) -> Iterator[Observation]:
    """The same for a check that only says what is wrong: each text is a failure of the resource."""
    return check_resources(
        resources,
        lambda resource: (failed(resource, resource.name, message) for message in check(resource)),
    )
