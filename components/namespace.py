"""A namespace, or what goes into one that others made: the optional Hugging Face token of the download."""

import pulumi
from pulumi_kubernetes.core.v1 import Namespace as KubernetesNamespace
from pulumi_kubernetes.core.v1 import Secret

from components.dynamo_objects import USES_PLATFORM
from components.options import ALONE, WITH_CONTENT, child
from stacks.plan.retention import Keep

TOKEN_SECRET_NAME = "hf-token-secret"  # noqa: S105 - the name of the Secret, not a token
TOKEN_SECRET_KEY = "HF_TOKEN"  # noqa: S105 - the name of a key, not a token


class Namespace(pulumi.ComponentResource):
    """One namespace, on which everything in it depends.

    Args:
        title: its name.
        platform_namespace: of the platform that the pods use; its NATS and etcd admit the pods by this. None:
            they use none.
        lifecycle: production or disposable; nothing is made of it, policies read it.
        hf_token: Hugging Face token; None where nothing needs a token.
        exists: others made it, so that it is neither created, labelled nor removed.

    """

    def __init__(
        self,
        name: str,
        *,
        title: str,
        platform_namespace: str | None,
        lifecycle: str,
        keep: Keep | None,
        exists: bool,
        hf_token: pulumi.Output[str] | None = None,
        opts: pulumi.ResourceOptions,
    ) -> None:
        # The token is no input of the component: policies see component inputs, and state keeps them.
        inputs = {
            "name": title,
            "hasToken": hf_token is not None,
            "lifecycle": lifecycle,
            **({"exists": True} if exists else {}),
        }
        super().__init__("dynamo-stack:components:Namespace", name, inputs, opts)
        made = [] if exists else [self._namespace(name, title, platform_namespace, keep)]
        if hf_token is not None:
            Secret(
                f"{name}-hf-token",
                metadata={"name": TOKEN_SECRET_NAME, "namespace": title},
                # The SDK marks the whole map as secret, also where the caller has not marked the token.
                string_data={TOKEN_SECRET_KEY: hf_token},
                opts=child(self, made, delete=ALONE),
            )
        self.register_outputs({"namespaceName": title})

    def _namespace(
        self, name: str, title: str, platform: str | None, keep: Keep | None
    ) -> KubernetesNamespace:
        labels = {USES_PLATFORM: platform} if platform else None
        return KubernetesNamespace(
            name,
            metadata={"name": title, "labels": labels} if labels else {"name": title},
            opts=pulumi.ResourceOptions(
                parent=self,
                protect=keep is not None,
                retain_on_delete=keep == "retained",
                custom_timeouts=pulumi.CustomTimeouts(delete=WITH_CONTENT),
            ),
        )
