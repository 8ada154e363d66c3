"""Hands a recorded program to a policy pack in the engine's own wire format."""

from typing import Any

from google.protobuf.struct_pb2 import Struct
from pulumi.runtime.proto import analyzer_pb2

from resource_graph import Resource, ResourceGraph
from tests.policy.comparable import without_unknown

_UNKNOWN_STRING = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


def engine_requests(
    graph: ResourceGraph,
) -> tuple[list[analyzer_pb2.AnalyzeRequest], analyzer_pb2.AnalyzeStackRequest]:
    """What the engine sends in a preview: one request per resource with its inputs, then one for the stack.

    In the last one all properties are empty, as they are while the provider's configuration is unknown.
    """
    resources = [
        analyzer_pb2.AnalyzeRequest(properties=_struct(resource), **_described(graph, resource))
        for resource in graph
    ]
    whole = [_stack_resource(graph, resource) for resource in graph]
    return resources, analyzer_pb2.AnalyzeStackRequest(resources=whole)


def _stack_resource(graph: ResourceGraph, resource: Resource) -> analyzer_pb2.AnalyzerResource:
    message = analyzer_pb2.AnalyzerResource(
        properties=Struct(),
        parent=resource.parent or "",
        dependencies=sorted(resource.dependencies),
        **_described(graph, resource),
    )
    for key, urns in resource.property_dependencies.items():
        message.propertyDependencies[key].urns.extend(sorted(urns))
    return message


def _described(graph: ResourceGraph, resource: Resource) -> dict[str, Any]:
    """What both requests tell of a resource."""
    provider = graph.find(resource.provider) if resource.provider else None
    described = None
    if provider is not None:
        described = analyzer_pb2.AnalyzerProviderResource(
            type=provider.type, urn=provider.urn, name=provider.name, properties=_struct(provider)
        )
    return {
        "type": resource.type,
        "urn": resource.urn,
        "name": resource.name,
        "options": _options(resource),
        "provider": described,
    }


def _options(resource: Resource) -> analyzer_pb2.AnalyzerResourceOptions:
    options = analyzer_pb2.AnalyzerResourceOptions(
        protect=bool(resource.protect), parent=resource.parent or ""
    )
    timeouts = resource.custom_timeouts
    if any((timeouts.create, timeouts.update, timeouts.delete)):
        options.customTimeouts.create = timeouts.create or 0
        options.customTimeouts.update = timeouts.update or 0
        options.customTimeouts.delete = timeouts.delete or 0
    return options


def _struct(resource: Resource) -> Struct:
    struct = Struct()
    struct.update(without_unknown(resource.inputs, _UNKNOWN_STRING))
    return struct
