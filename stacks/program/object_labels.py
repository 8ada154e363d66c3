"""Kubernetes' recommended labels on every object that the program registers.

One transformation of the SDK adds them, because no component knows the stack that it is a part of; why no
transform: docs/adr/0035-labels-and-hooks-are-transformations.md. Pods have theirs from the graph's manifest
(recipes/standard_labels.py): another label there restarts them.
"""

from collections.abc import Mapping
from typing import Any, cast

import pulumi

from recipes.standard_labels import standard_labels
from stacks.plan.platform.platform_plan import OwnPlatform
from stacks.plan.stack_plan import StackPlan
from stacks.plan.versions import PROJECT_VERSION

_COMPONENT = "dynamo-stack:components:"
_OBJECT = "kubernetes:"
_RELEASE = "kubernetes:helm.sh/"
_INFRASTRUCTURE, _PLATFORM, _SERVING = "infrastructure", "platform", "serving"
_LAYERS = {
    "ClusterAddons": _INFRASTRUCTURE,
    "EbsStorage": _INFRASTRUCTURE,
    "GpuNodesReady": _INFRASTRUCTURE,
    "DynamoPlatform": _PLATFORM,
    "Etcd": _PLATFORM,
    "Nats": _PLATFORM,
}
"""Component -> layer; all others serve."""
_OF_THE_RUNTIME: tuple[str, ...] = ("ComputeDomain", "DynamoGraph", "ModelServer")
_OF_THE_MODEL: tuple[str, ...] = ("ModelCache", "NodeCache")
_PLATFORM_NAMESPACE = "platform-namespace"


def label_objects(stack: StackPlan) -> None:
    """Have every Kubernetes object that is registered from now on bear the labels.

    Raises:
        Exception: no program runs.

    """
    versions = _versions(stack)

    def transformation(
        args: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult | None:
        if not args.type_.startswith(_OBJECT) or args.type_.startswith(_RELEASE):
            return None
        name, component, layer = _place(args)
        labels = standard_labels(
            name,
            instance=stack.name,
            component=layer,
            part_of=stack.serving.graph_name,
            version=versions.get(component, PROJECT_VERSION),
        )
        return pulumi.ResourceTransformationResult(_labelled(args.props, labels), args.opts)

    pulumi.runtime.register_stack_transformation(transformation)


def _versions(stack: StackPlan) -> dict[str, str]:
    """Return versions by component: of what runs in it, or lies on it.

    All others bear this project's. With the platform's version an upgrade would change every object.
    """
    recipe, platform = stack.serving.placed.recipe, stack.platform
    versions = dict.fromkeys(_OF_THE_RUNTIME, recipe.runtime.version)
    versions |= dict.fromkeys(_OF_THE_MODEL, recipe.model.revision)
    if not isinstance(platform, OwnPlatform):
        return versions
    versions["DynamoPlatform"] = platform.version
    for component, servers in (("Nats", platform.nats), ("Etcd", platform.etcd)):
        if servers:
            versions[component] = servers.image.rpartition(":")[2]
    return versions


def _place(args: pulumi.ResourceTransformationArgs) -> tuple[str, str, str]:
    """Return the name of the component that registers an object, its kind, empty for none, and its layer."""
    parent = args.opts.parent
    kind = parent.pulumi_resource_type if parent else ""
    if parent is None or not kind.startswith(_COMPONENT):
        # What stands under the stack itself are the namespaces of operators.
        return args.name, "", _INFRASTRUCTURE
    name, component = parent.pulumi_resource_name, kind.removeprefix(_COMPONENT)
    if name == _PLATFORM_NAMESPACE:
        return name, component, _PLATFORM
    return name, component, _LAYERS.get(component, _SERVING)


def _labelled(props: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    """Return the inputs with the labels beside those that the object has, which win."""
    metadata = cast("Mapping[str, Any]", props["metadata"])
    return {**props, "metadata": {**metadata, "labels": {**labels, **(metadata.get("labels") or {})}}}
