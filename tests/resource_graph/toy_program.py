"""A small program with everything that the recorder has to keep."""

import pulumi
import pulumi_kubernetes as kubernetes

PROJECT = "toy-project"
STACK = "toy"


class Box(pulumi.ComponentResource):
    """A component with one ConfigMap in it."""

    def __init__(
        self, name: str, inputs: dict[str, object], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("toy:components:Box", name, inputs, opts)
        self.config_map = kubernetes.core.v1.ConfigMap(
            f"{name}-files",
            metadata={"name": f"{name}-files"},
            data={"answer": "42"},
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})


class Crate(pulumi.ComponentResource):
    """A component around another component."""

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("toy:components:Crate", name, None, opts)
        self.box = Box(f"{name}-box", {}, pulumi.ResourceOptions(parent=self))
        self.register_outputs({})


def program() -> None:
    provider = kubernetes.Provider("cluster", context="nowhere")
    options = pulumi.ResourceOptions(provider=provider)
    namespace = kubernetes.core.v1.Namespace("space", metadata={"name": "toys"}, opts=options)
    release = kubernetes.helm.v3.Release(
        "platform",
        chart="dynamo-platform",
        version="1.2.1",
        namespace=namespace.metadata.name,
        timeout=300,
        values={"operator": {"replicas": 1, "key": pulumi.Output.secret("planted-value")}},
        opts=pulumi.ResourceOptions(
            provider=provider,
            protect=True,
            custom_timeouts=pulumi.CustomTimeouts(create="1h30m", delete="90s"),
        ),
    )
    kubernetes.core.v1.Secret(
        "token",
        metadata={"name": "token", "namespace": "toys"},
        string_data={"TOKEN": "planted-token"},
        opts=options,
    )
    kubernetes.core.v1.ConfigMap(
        "report",
        metadata={"name": "report"},
        data={"id": namespace.id, "known": namespace.metadata.name, "status": release.status.status},
        opts=options,
    )
    Crate(
        "crate",
        pulumi.ResourceOptions(provider=provider, depends_on=[release], retain_on_delete=True, protect=True),
    )
