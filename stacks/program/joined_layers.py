"""How stacks that own a layer each are joined: what one exports, and what another takes of it."""

from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from components.model_cache import FileSystem, file_system_name
from components.options import Resources
from stacks.plan.layers.contract import KUBECONFIG, output_of
from stacks.plan.layers.layering import Contract, Layering
from stacks.plan.stack_plan import StackPlan
from stacks.settings.stack import Layer
from stacks.updates.last_run import full_name

_FILE_SYSTEM = "fileSystem"
_HANDLE, _ATTRIBUTES = "handle", "attributes"


@dataclass(frozen=True, slots=True)
class InfrastructureParts:
    """What the rest of the program needs to know of the infrastructure, this stack's own or another's."""

    provider: kubernetes.Provider
    before_workloads: tuple[pulumi.Resource, ...] = ()
    """Without these a pod is not scheduled, or has no volume."""
    before_graph: tuple[pulumi.Resource, ...] = ()
    """Without these a worker has no GPU, no compute domain or no EFA."""
    file_system: FileSystem | None = None
    """File system of the model cache; None where a storage class makes its volume."""
    kubeconfig: pulumi.Output[str] | None = None
    """It leads to a cluster that a stack of this project makes."""


def joined_infrastructure(layers: Layering) -> InfrastructureParts:
    """Return what another stack made, by a reference that stays in the state: the join can be seen there."""
    output: pulumi.Output[dict[str, Any]] = reference(layers, "infrastructure").require_output(
        "infrastructure"
    )
    values = layers.contracts["infrastructure"]
    kubeconfig = output.apply(lambda made: str(made[KUBECONFIG]))
    provider = kubernetes.Provider(
        "cluster",
        kubeconfig=kubeconfig,
        # Credentials and endpoint may change without every object being another one.
        cluster_identifier=str(values["cluster.name"]),
    )
    kind = values.get("modelCache.storage.kind")
    file_system = None
    if kind in {"fsxLustre", "efs"}:
        made = output.apply(lambda found: found[_FILE_SYSTEM])
        file_system = FileSystem(
            file_system_name(str(values["cluster.name"])),
            made.apply(lambda found: found[_HANDLE]),
            made.apply(lambda found: found[_ATTRIBUTES] or None),
            is_lustre=kind == "fsxLustre",
        )
    return InfrastructureParts(provider, file_system=file_system, kubeconfig=kubeconfig)


def share(stack: StackPlan, infrastructure: InfrastructureParts, platform: Resources) -> None:
    """Export the layers that others may join, each once all of it is there.

    Args:
        stack: everything that was decided.
        infrastructure: what was made below Kubernetes.
        platform: what every graph depends on.

    """
    for layer in stack.layers.shared:
        contract = stack.layers.contracts[layer]
        if layer == "infrastructure":
            pulumi.export(layer, _infrastructure_output(contract, infrastructure))
        else:
            pulumi.export(layer, _after(output_of(contract), platform))


def _infrastructure_output(contract: Contract, parts: InfrastructureParts) -> pulumi.Output[dict[str, Any]]:
    content: dict[str, Any] = {**output_of(contract), KUBECONFIG: parts.kubeconfig}
    if parts.file_system is not None:
        content[_FILE_SYSTEM] = {
            _HANDLE: parts.file_system.handle,
            _ATTRIBUTES: parts.file_system.attributes,
        }
    return _after(content, [*parts.before_workloads, *parts.before_graph])


def _after(content: dict[str, Any], made: Resources) -> pulumi.Output[dict[str, Any]]:
    # Nobody joins a layer of which half is there.
    there: pulumi.Output[Any] = pulumi.Output.all(*(resource.urn for resource in made))
    return pulumi.Output.all(content=content, there=there).apply(lambda known: known["content"])


def reference(layers: Layering, layer: Layer) -> pulumi.StackReference:
    """Return the reference to the stack that owns the layer, for what stands on it to depend on."""
    return pulumi.StackReference(f"{layer}-layer", full_name(layers.joined[layer]))
