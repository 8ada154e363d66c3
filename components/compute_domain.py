"""The NVLink partition that the workers of one graph share across nodes."""

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from components.options import Resources, child

_API_VERSION = "resource.nvidia.com/v1beta1"
_TIMEOUT = "600s"


class ComputeDomain(pulumi.ComponentResource):
    """One ComputeDomain; its driver makes the claim template that the pods name.

    The graph depends on it, so that the pods release their channels before the domain goes.
    The template follows a moment later. Nothing waits for it: a pod that comes first stays Pending until it
    is there.

    Args:
        name: of the object, too.
        namespace: of the pods: a claim can only be made from a template in the pod's own namespace.
        claim_template_name: what the DRA driver calls the ResourceClaimTemplate that it makes.

    """

    def __init__(
        self,
        name: str,
        *,
        namespace: str,
        claim_template_name: str,
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        inputs = {"name": name, "namespace": namespace}
        super().__init__("dynamo-stack:components:ComputeDomain", name, inputs, opts)
        CustomResource(
            name,
            api_version=_API_VERSION,
            kind="ComputeDomain",
            metadata={
                **inputs,
                # The driver's finalizer resource.nvidia.com/computeDomain takes its own parts down; deletion
                # still waits until the object is gone.
                "annotations": {"pulumi.com/deletionPropagationPolicy": "background"},
            },
            spec={
                # Not the number of nodes: that is deprecated, gates nothing but the status, and the spec
                # cannot be changed when a worker is added (kubernetes-sigs/dra-driver-nvidia-gpu,
                # api/nvidia.com/resource/v1beta1/computedomain.go).
                "numNodes": 0,
                "channel": {"resourceClaimTemplate": {"name": claim_template_name}},
            },
            opts=child(self, depends_on, timeout=_TIMEOUT),
        )
        self.register_outputs({"name": name})
