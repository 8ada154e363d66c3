"""A DynamoGraphDeployment with the engine files that its workers read."""

from dataclasses import dataclass
from typing import Any, TypedDict

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.core.v1 import ConfigMap

from components.graph_diagnosis import GraphAddress, diagnosis

_DELETE_TIMEOUT = "600s"


class Placement(TypedDict):
    """The node pool that a worker was given, as rules read it."""

    pool: str
    instanceType: str
    nodes: int


class KvTransport(TypedDict):
    """How KV-cache blocks travel, as rules read it."""

    name: str
    typed: bool
    """Chosen by a person, not because it is documented to work."""
    standing: str
    reason: str
    """What is known of it."""
    ceiling: str


class Waiver(TypedDict):
    """A rule that the stack breaks on purpose, as rules read it."""

    rule: str
    reason: str
    expires: str


@dataclass(frozen=True, slots=True)
class DynamoGraphArgs:
    """Inputs of `DynamoGraph`."""

    name: str
    namespace: str
    api_version: str
    spec: dict[str, Any]
    engine_config_map_name: str
    """Ends in a hash of the content."""
    engine_files: dict[str, str]
    placement: dict[str, Placement]
    """Service name in the graph -> its pool, for services with GPUs."""
    kv_transport: KvTransport | None
    """None where the KV cache never leaves a worker."""
    waivers: list[Waiver]
    ready_timeout_seconds: int
    diagnose_in_context: str | None = None
    """Kubeconfig context in which a graph that is not ready is looked at; None: say what the provider says.

    Needs an engine to call back: Pulumi's mock monitors have none.
    """


class DynamoGraph(pulumi.ComponentResource):
    """One graph; registered only when it is ready to serve, as far as its operator can tell."""

    graph: CustomResource

    def __init__(
        self,
        name: str,
        args: DynamoGraphArgs,
        *,
        depends_on: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        inputs: dict[str, Any] = {
            "name": args.name,
            "namespace": args.namespace,
            "placement": args.placement,
            "waivers": args.waivers,
        }
        if args.kv_transport:
            inputs["kvTransport"] = args.kv_transport
        super().__init__("dynamo-stack:components:DynamoGraph", name, inputs, opts)
        # A change of content changes the name, so the new object is made first, the graph's pods roll, and
        # the old object goes last. Its logical name stays, which is what makes that one replacement.
        files = ConfigMap(
            f"{name}-engine-files",
            metadata={"name": args.engine_config_map_name, "namespace": args.namespace},
            data=args.engine_files,
            immutable=True,
            opts=pulumi.ResourceOptions(parent=self, depends_on=depends_on),
        )
        waits = f"{args.ready_timeout_seconds}s"
        self.graph = CustomResource(
            name,
            api_version=args.api_version,
            kind="DynamoGraphDeployment",
            metadata={
                "name": args.name,
                "namespace": args.namespace,
                "annotations": {
                    # The provider knows no readiness of custom resources of its own.
                    "pulumi.com/waitFor": "condition=Ready",
                    # Foreground deletion of a graph can loop for hours with its GPUs held
                    # (ai-dynamo/dynamo#8204).
                    "pulumi.com/deletionPropagationPolicy": "background",
                },
            },
            spec=args.spec,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[*depends_on, files],
                custom_timeouts=pulumi.CustomTimeouts(create=waits, update=waits, delete=_DELETE_TIMEOUT),
                hooks=_say_why(name, args),
            ),
        )
        self.register_outputs({"graphName": args.name})


def _say_why(name: str, args: DynamoGraphArgs) -> pulumi.ResourceHookBinding | None:
    if args.diagnose_in_context is None:
        return None
    address = GraphAddress(context=args.diagnose_in_context, namespace=args.namespace, name=args.name)

    def say_why(failure: pulumi.ErrorHookArgs) -> bool:
        said = diagnosis(address, failure.errors)
        if said is not None:
            pulumi.log.error(said)
        # Never again by itself: a graph that does not fit would hold its GPUs for another hour.
        return False

    return pulumi.ResourceHookBinding(on_error=[pulumi.ErrorHook(f"{name}-says-why", say_why)])
