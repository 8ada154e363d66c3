"""A server of the engine's own, without Dynamo: a Deployment, its engine file, and the Service before it."""

from typing import Any

import pulumi
from pulumi_kubernetes.apps.v1 import Deployment
from pulumi_kubernetes.core.v1 import Service

from components import deletion
from components.dynamo_objects import frontend_service
from components.options import Resources, child, limits
from components.served import Served, engine_files_map


class ModelServer(pulumi.ComponentResource):
    """One Deployment, by its `spec` and that of its Service; registered only when its pods answer."""

    deployment: Deployment

    def __init__(
        self,
        name: str,
        served: Served,
        *,
        deployment: Any,
        service: Any,
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__("dynamo-stack:components:ModelServer", name, dict(served.inputs), opts)
        files = engine_files_map(self, served, depends_on)
        self.deployment = Deployment(
            name,
            metadata={"name": served.name, "namespace": served.namespace},
            spec=deployment,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[*depends_on, *files],
                custom_timeouts=limits(served.ready_timeout_seconds, deletion.WITH_PODS),
            ),
        )
        # The name that clients of a graph would address: another server changes no client.
        Service(
            name,
            metadata={"name": frontend_service(served.name), "namespace": served.namespace},
            spec=service,
            # After the pods answer, so that nobody is sent to one that still loads, and at destroy first.
            opts=child(self, [self.deployment], timeout="120s", delete=deletion.ALONE),
        )
        self.register_outputs({"name": served.name})
