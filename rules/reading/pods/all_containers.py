"""Every container of a pod, and who runs it."""

from collections.abc import Mapping, Sequence

from resource_graph import Value
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import mappings_at, text_at


def all_containers(template: PodTemplate) -> Sequence[tuple[str, Mapping[str, Value]]]:
    """Name and container, the ones that only run at start included.

    Raises:
        Undecided: a list of them is unknown.
    """
    found = (*template.containers, *mappings_at(template.spec, "initContainers"))
    return [(text_at(each, "name") or "main", each) for each in found]
