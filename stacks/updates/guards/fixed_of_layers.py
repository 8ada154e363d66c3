"""Which layers a stack owns is fixed when it is created.

To Pulumi a layer that leaves a stack is a list of resources to delete, among them the cluster on which
another stack's graph serves, and one that comes is a list to create over what another stack has.
"""

from collections.abc import Mapping

from stacks.plan.layers.layering import Layering

LAYERS = "layers"
_ALL = "layers: [infrastructure, platform, serving]"


def layer_values(layers: Layering) -> dict[str, str]:
    """Return the value to export."""
    return {LAYERS: ", ".join(layers.own)}


def with_layers(previous: Mapping[str, object]) -> Mapping[str, object]:
    """Return what a run recorded; before layers could be divided, a stack had all there were."""
    if not previous or LAYERS in previous:
        return previous
    own = [
        layer
        for layer, there in (
            ("infrastructure", previous.get("cluster.kind") == "eks"),
            ("platform", previous.get("platform.kind") == "own"),
            ("serving", True),
        )
        if there
    ]
    return {**previous, LAYERS: ", ".join(own)}


def layer_steps() -> list[str]:
    """Return the procedure that makes other layers possible."""
    return [
        "`pulumi destroy` of the stacks that joined this one, those above first",
        "with the old value again: lifecycle: disposable, then `pulumi up`; it lifts the protection, and the "
        "model is not kept",
        "`pulumi destroy`, which forgets what was fixed",
        "the new layers, then `pulumi up`, in the stack of the lowest layer first",
        f"without an interruption instead: this stack keeps what it has ({_ALL} shares it), and a second one "
        "with layers: [serving], a serving.namespace and GPUs of its own joins it",
    ]
