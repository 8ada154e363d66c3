"""The resource graph as Pulumi's policy host tells it."""

from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_policy import PolicyResource
from pulumi_policy.deserialize import serialize_properties

from resource_graph.engine_state import plain_state
from resource_graph.graph import POLICY_HOST_LACKS, ResourceGraph
from resource_graph.resource import Resource, set_timeouts
from resource_graph.values import Value

_PROVIDER_TYPE = "pulumi:providers:"


def policy_inputs(properties: Mapping[str, Any]) -> Mapping[str, Value]:
    """Plain inputs out of the proxy that a resource policy receives.

    The proxy raises on every unknown value; here they become UNKNOWN, so that a rule can say that it could
    not decide instead of being cut off.
    """
    return plain_state(serialize_properties(properties))[0]


def policy_graph(
    resources: Sequence[PolicyResource], inputs: Mapping[str, Mapping[str, Value]]
) -> ResourceGraph:
    """Join what the two kinds of policy know.

    Args:
        resources: what a stack policy receives. It has the edges; its properties are outputs, and empty
            while the provider's configuration is unknown.
        inputs: URN -> inputs, from the resource policy. A resource that is missing here is judged by its
            outputs.
    """
    return ResourceGraph(
        (_resource(resource, inputs.get(resource.urn)) for resource in resources), POLICY_HOST_LACKS
    )


def _resource(resource: PolicyResource, inputs: Mapping[str, Value] | None) -> Resource:
    property_dependencies = {
        key: frozenset(dependency.urn for dependency in dependencies)
        for key, dependencies in resource.property_dependencies.items()
        if dependencies
    }
    timeouts = resource.opts.custom_timeouts
    declared = frozenset(dependency.urn for dependency in resource.dependencies)
    return Resource(
        urn=resource.urn,
        type=resource.resource_type,
        name=resource.name,
        inputs=policy_inputs(resource.props) if inputs is None else inputs,
        # The host does not say which resources are components; only those have no provider.
        custom=resource.provider is not None or resource.resource_type.startswith(_PROVIDER_TYPE),
        parent=resource.parent.urn if resource.parent is not None else resource.opts.parent,
        provider=resource.provider.urn if resource.provider is not None else None,
        dependencies=declared.union(*property_dependencies.values()),
        property_dependencies=property_dependencies,
        protect=resource.opts.protect,
        custom_timeouts=set_timeouts(
            timeouts.create_seconds, timeouts.update_seconds, timeouts.delete_seconds
        ),
    )
