"""A DynamoGraphDeployment with the engine files that its workers read."""

from dataclasses import dataclass
from typing import Any, TypedDict

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.core.v1 import ConfigMap

from components import removal
from components.dynamo_objects import GRAPH_KIND
from components.options import Resources, child, limits

KV_TRANSPORT_ANNOTATION = "dynamo-stack/kv-transport"
"""Annotation of a graph: the KV transport that the settings name."""


class Placement(TypedDict):
    """The node pool that a worker was given, as rules read it."""

    pool: str
    instanceType: str
    nodes: int


class NodePool(TypedDict):
    """A node pool that the stack knows, as rules read it."""

    name: str
    instanceType: str
    nodes: int
    labels: dict[str, str]
    nvlinkDomainGpus: int
    """GPUs of one NVLink domain."""


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
    node_pools: list[NodePool]
    lifecycle: str
    """production or disposable."""
    kv_transport: KvTransport | None
    """Transport of the KV cache; None where the KV cache never leaves a worker."""
    waivers: list[Waiver]
    ready_timeout_seconds: int
    instead_of: str | None = None
    """URN of a graph that has to go first, and with it the GPUs that it holds."""
    replace_with_its_name: bool = False
    """The graph of this name that exists has other services or another API version, and the API server would
    refuse the change."""


class DynamoGraph(pulumi.ComponentResource):
    """One graph; registered only when it is ready to serve, as far as its operator can tell."""

    graph: CustomResource

    def __init__(
        self, name: str, args: DynamoGraphArgs, *, depends_on: Resources, opts: pulumi.ResourceOptions
    ) -> None:
        inputs: dict[str, Any] = {
            "name": args.name,
            "namespace": args.namespace,
            "placement": args.placement,
            "nodePools": args.node_pools,
            "lifecycle": args.lifecycle,
            "waivers": args.waivers,
        }
        if args.kv_transport:
            inputs["kvTransport"] = args.kv_transport
        super().__init__("dynamo-stack:components:DynamoGraph", name, inputs, opts)
        # A change of content changes the name, also the logical one, so that it is another resource: the new
        # one is made first, the graph's pods roll, and the old one, which no program asks for any more, goes
        # last. A replaced one would be marked for deletion as soon as its successor exists; where the roll
        # then fails and the change is taken back, the engine would create what exists, and delete it last.
        files = ConfigMap(
            args.engine_config_map_name,
            metadata={"name": args.engine_config_map_name, "namespace": args.namespace},
            data=args.engine_files,
            immutable=True,
            opts=child(self, depends_on, delete=removal.ALONE),
        )
        self.graph = CustomResource(
            name,
            api_version=args.api_version,
            kind=GRAPH_KIND,
            metadata={
                "name": args.name,
                "namespace": args.namespace,
                "annotations": _annotations(args.kv_transport),
            },
            spec=args.spec,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[*depends_on, files],
                custom_timeouts=limits(args.ready_timeout_seconds, removal.WITH_PODS),
                aliases=_aliases(args),
                delete_before_replace=bool(args.instead_of) or args.replace_with_its_name or None,
                replace_on_changes=["spec"] if args.replace_with_its_name else None,
            ),
        )
        self.register_outputs({"graphName": args.name})


def _aliases(args: DynamoGraphArgs) -> list[str | pulumi.Alias]:
    # The API server holds one graph under both versions. Without the other type as an alias a change of the
    # version would be another resource to the engine, created while the graph of its name still exists.
    other = {"nvidia.com/v1alpha1": "v1beta1", "nvidia.com/v1beta1": "v1alpha1"}[args.api_version]
    same: list[str | pulumi.Alias] = [pulumi.Alias(type_=f"kubernetes:nvidia.com/{other}:{GRAPH_KIND}")]
    return [*same, args.instead_of] if args.instead_of else same


def _annotations(kv_transport: KvTransport | None) -> dict[str, str]:
    annotations = {
        # The provider knows no readiness of custom resources of its own.
        # It minds observedGeneration: right after a change the operator's Ready is of the graph before.
        # How it is deleted is left to the provider: in the foreground it goes after its pods, so that what
        # they need outlives them (ai-dynamo/dynamo#8207).
        "pulumi.com/waitFor": "condition=Ready",
    }
    if kv_transport and kv_transport["typed"]:
        # A rendered manifest has no component around it that says so: a reviewer of plain TCP in it could
        # not tell a decision from an oversight.
        annotations[KV_TRANSPORT_ANNOTATION] = kv_transport["name"]
    return annotations
