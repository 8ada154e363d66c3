"""A DynamoGraphDeployment with the engine files that its workers read."""

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from components.dynamo_objects import GRAPH_KIND
from components.options import WITH_PODS, Resources, limits
from components.served import engine_files_map
from recipes.graph_manifest import graph_spec
from stacks.plan.stack_plan import ServingPlan

KV_TRANSPORT_ANNOTATION = "dynamo-stack/kv-transport"
"""Annotation of a graph: the KV transport that the settings name."""
# The API server holds one graph under both versions. Without this type as an alias the graph of a state that
# holds it as v1alpha1 would be another resource to the engine, and the new one created while it still exists.
_V1ALPHA1 = pulumi.Alias(type_=f"kubernetes:nvidia.com/v1alpha1:{GRAPH_KIND}")


class DynamoGraph(pulumi.ComponentResource):
    """One graph; registered only when it is ready to serve, as far as its operator can tell.

    Args:
        serving: the graph.
        inputs: the component's own, which rules read (stacks/program/served_model.py).
        kv_transport: how KV-cache blocks travel, as rules read it; None where they never leave a worker.
        instead_of: URN of a graph that has to go first, and with it the GPUs that it holds.
        replace_with_its_name: the graph of this name that exists has other services or is v1alpha1, and the
            API server would refuse the change.

    """

    graph: CustomResource

    def __init__(
        self,
        serving: ServingPlan,
        *,
        inputs: Mapping[str, Any],
        kv_transport: Mapping[str, Any] | None,
        instead_of: str | None,
        replace_with_its_name: bool,
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        name = serving.graph_name
        told = {**inputs, **({"kvTransport": kv_transport} if kv_transport else {})}
        super().__init__("dynamo-stack:components:DynamoGraph", name, told, opts)
        # The provider knows no readiness of custom resources of its own.
        # It minds observedGeneration: right after a change the operator's Ready is of the graph before.
        # How it is deleted is left to the provider: in the foreground it goes after its pods, so that what
        # they need outlives them (ai-dynamo/dynamo#8207).
        annotations = {"pulumi.com/waitFor": "condition=Ready"}
        if kv_transport and kv_transport["typed"]:
            # A rendered manifest has no component around it that says so: a reviewer of plain TCP in it could
            # not tell a decision from an oversight.
            annotations[KV_TRANSPORT_ANNOTATION] = kv_transport["name"]
        self.graph = CustomResource(
            name,
            api_version="nvidia.com/v1beta1",
            kind=GRAPH_KIND,
            metadata={
                "name": name,
                "namespace": serving.namespace,
                "annotations": annotations,
            },
            spec=graph_spec(serving.placed),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=engine_files_map(self, serving, depends_on),
                custom_timeouts=limits(serving.ready_timeout_seconds, WITH_PODS),
                aliases=[_V1ALPHA1, *([instead_of] if instead_of else [])],
                delete_before_replace=bool(instead_of) or replace_with_its_name or None,
                replace_on_changes=["spec"] if replace_with_its_name else None,
            ),
        )
        self.register_outputs({"graphName": name})
