"""What an API server says of an object's name, of which no schema speaks."""

import re
from collections.abc import Iterator

from resource_graph import Resource
from rules.reading.objects.definitions import group_of
from rules.reading.objects.mistakes import PLACEHOLDER, Mistake
from rules.reading.shapes import Undecided, field

_GROUPS = frozenset(
    {"", "apps", "batch", "networking.k8s.io", "nvidia.com", "resource.k8s.io", "resource.nvidia.com"}
    | {"storage.k8s.io"}
)
"""Their objects are called like a DNS subdomain; Services and Namespaces more narrowly. Roles and others may
bear any name (k8s.io/apimachinery pkg/api/validation)."""
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LONGEST = 253
_NAME = ("metadata", "name")
_SAYS = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character"
)


def name_mistakes(resource: Resource) -> Iterator[Mistake]:
    """That an object of a document has no name, or one that its kind may not bear."""
    if group_of(resource) not in _GROUPS or (resource.kind or "").endswith("List"):
        return
    try:
        name, prefix = (field(resource.inputs, "metadata", key) for key in ("name", "generateName"))
    except Undecided:
        return
    if name is None or name == "":
        if not prefix:
            yield Mistake(_NAME, "missing", "metadata.name: Required value: name or generateName is required")
        return
    if not isinstance(name, str):
        # The schema says so.
        return
    if PLACEHOLDER.search(name):
        yield Mistake(_NAME, "placeholder", name)
    elif len(name) > _LONGEST:
        says = f"must be no more than {_LONGEST} bytes"
        yield Mistake(_NAME, "value", f'metadata.name: Invalid value: "{name}": {says}')
    elif not _SUBDOMAIN.fullmatch(name):
        yield Mistake(_NAME, "value", f'metadata.name: Invalid value: "{name}": {_SAYS}')
