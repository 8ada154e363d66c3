"""A server of the engine's own, without Dynamo: a Deployment, its engine file, and the Service before it."""

from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.apps.v1 import Deployment
from pulumi_kubernetes.core.v1 import Service

from components import removal
from components.dynamo_objects import frontend_service
from components.engine_files import engine_files_map
from components.options import Resources, child, limits
from components.served import Served


@dataclass(frozen=True, slots=True)
class ModelServerArgs:
    """Inputs of `ModelServer`."""

    served: Served
    deployment: Any
    """`spec` of the Deployment."""
    service: Any
    """`spec` of the Service."""


class ModelServer(pulumi.ComponentResource):
    """One Deployment; registered only when its pods answer."""

    deployment: Deployment

    def __init__(
        self, name: str, args: ModelServerArgs, *, depends_on: Resources, opts: pulumi.ResourceOptions
    ) -> None:
        served = args.served
        super().__init__("dynamo-stack:components:ModelServer", name, served.inputs(), opts)
        files = engine_files_map(self, served, depends_on)
        self.deployment = Deployment(
            name,
            metadata={"name": served.name, "namespace": served.namespace},
            spec=args.deployment,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[*depends_on, *files],
                custom_timeouts=limits(served.ready_timeout_seconds, removal.WITH_PODS),
            ),
        )
        # The name that clients of a graph would address: another server changes no client.
        Service(
            name,
            metadata={"name": frontend_service(served.name), "namespace": served.namespace},
            spec=args.service,
            # After the pods answer, so that nobody is sent to one that still loads, and at destroy first.
            opts=child(self, [self.deployment], timeout="120s", delete=removal.ALONE),
        )
        self.register_outputs({"name": served.name})
