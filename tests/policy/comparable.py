"""What recorder and policy host must tell alike of a resource, as JSON that can be compared."""

from typing import Any

from resource_graph import UNKNOWN, Resource, ResourceGraph, Value

_PROVIDER_TYPE = "pulumi:providers:"


def comparable_graph(graph: ResourceGraph) -> dict[str, dict[str, Any]]:
    """URN -> all that both know of the resource."""
    return {resource.urn: _comparable(resource) for resource in graph}


def _comparable(resource: Resource) -> dict[str, Any]:
    timeouts = resource.custom_timeouts
    inputs = without_unknown(resource.inputs, {"UNKNOWN": True})
    if resource.type.startswith(_PROVIDER_TYPE):
        # The engine adds the plugin's version to a provider's inputs.
        inputs.pop("version", None)
    return {
        "type": resource.type,
        "name": resource.name,
        "inputs": inputs,
        "custom": resource.custom,
        "parent": resource.parent,
        "provider": resource.provider,
        "dependencies": sorted(resource.dependencies),
        "property_dependencies": {
            key: sorted(urns) for key, urns in sorted(resource.property_dependencies.items())
        },
        "protect": bool(resource.protect),
        "timeouts": [timeouts.create, timeouts.update, timeouts.delete],
    }


def without_unknown(value: Value, mark: object) -> Any:
    """The value with a mark wherever it is not known."""
    if value is UNKNOWN:
        return mark
    if isinstance(value, dict):
        return {key: without_unknown(item, mark) for key, item in value.items()}
    if isinstance(value, list):
        return [without_unknown(item, mark) for item in value]
    return value
