"""What a reader calls a resource."""

from resource_graph import Resource
from resource_graph.urns import urn_name


def title_of(resource: Resource) -> str:
    """Return `ConfigMap gpt-oss/engine-files`, or type and name of what is no Kubernetes object."""
    kind = resource.kind or resource.type.rpartition(":")[2]
    place = f"{resource.namespace}/" if isinstance(resource.namespace, str) else ""
    return f"{kind} {place}{name_of(resource)}"


def name_of(resource: Resource) -> str:
    """Return the object's name, or the program's own where there is no object or its name is not known."""
    name = resource.object_name if resource.kind is not None else None
    return name if isinstance(name, str) else urn_name(resource.urn)
