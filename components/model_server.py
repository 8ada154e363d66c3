"""A server of the engine's own, without Dynamo: a Deployment, its engine file, and the Service before it."""

from collections.abc import Mapping
from typing import Any, cast

import pulumi
from pulumi_kubernetes.apps.v1 import Deployment, DeploymentSpecArgsDict
from pulumi_kubernetes.core.v1 import Service, ServiceSpecArgsDict

from components.dynamo_objects import frontend_service
from components.options import ALONE, WITH_PODS, Resources, child, limits
from components.served import engine_files_map
from recipes.server_manifest import server_deployment, server_service
from stacks.plan.stack_plan import ServingPlan


class ModelServer(pulumi.ComponentResource):
    """One Deployment and its Service; registered only when its pods answer.

    `inputs` are the component's own, which rules read (stacks/program/served_model.py).
    """

    deployment: Deployment

    def __init__(
        self,
        serving: ServingPlan,
        *,
        inputs: Mapping[str, Any],
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        name, namespace = serving.graph_name, serving.namespace
        super().__init__("dynamo-stack:components:ModelServer", name, dict(inputs), opts)
        self.deployment = Deployment(
            name,
            metadata={"name": name, "namespace": namespace},
            spec=cast("DeploymentSpecArgsDict", server_deployment(serving.placed)),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=engine_files_map(self, serving, depends_on),
                custom_timeouts=limits(serving.ready_timeout_seconds, WITH_PODS),
            ),
        )
        # The name that clients of a graph would address: another server changes no client.
        Service(
            name,
            metadata={"name": frontend_service(name), "namespace": namespace},
            spec=cast("ServiceSpecArgsDict", server_service(serving.placed)),
            # After the pods answer, so that nobody is sent to one that still loads, and at destroy first.
            opts=child(self, [self.deployment], timeout="120s", delete=ALONE),
        )
        self.register_outputs({"name": name})
