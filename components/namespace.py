"""A namespace, or what goes into one that others made: the optional Hugging Face token of the download."""

from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.core.v1 import Namespace as KubernetesNamespace
from pulumi_kubernetes.core.v1 import Secret

from components import removal
from components.dynamo_objects import USES_PLATFORM
from components.options import child
from components.removal import Keep

TOKEN_SECRET_NAME = "hf-token-secret"  # noqa: S105 - the name of the Secret, not a token
TOKEN_SECRET_KEY = "HF_TOKEN"  # noqa: S105 - the name of a key, not a token


@dataclass(frozen=True, slots=True)
class NamespaceArgs:
    """Inputs of `Namespace`."""

    name: str
    platform_namespace: str | None
    """Namespace of the platform that the pods use; its NATS and etcd admit the pods by this. None: they use
    none."""
    lifecycle: str
    """production or disposable; nothing is made of it, policies read it."""
    hf_token: pulumi.Output[str] | None = None
    """Hugging Face token; None where nothing needs a token."""
    keep: Keep = Keep.NOTHING
    exists: bool = False
    """Others made it: it is neither created, labelled nor removed."""


class Namespace(pulumi.ComponentResource):
    """One namespace."""

    made: tuple[KubernetesNamespace, ...]
    """What everything in the namespace depends on; nothing where others made it."""
    token_secret: Secret | None
    token_secret_name: str | None
    """Secret hf-token-secret with the key HF_TOKEN, where there is a token."""

    def __init__(self, name: str, args: NamespaceArgs, opts: pulumi.ResourceOptions) -> None:
        # The token is no input of the component: policies see component inputs, and state keeps them.
        inputs = {
            "name": args.name,
            "hasToken": args.hf_token is not None,
            "lifecycle": args.lifecycle,
            **({"exists": True} if args.exists else {}),
        }
        super().__init__("dynamo-stack:components:Namespace", name, inputs, opts)
        self.made = () if args.exists else (self._namespace(name, args),)
        self.token_secret = None
        if args.hf_token is not None:
            self.token_secret = self._token(name, args.name, args.hf_token)
        self.token_secret_name = TOKEN_SECRET_NAME if self.token_secret else None
        self.register_outputs({"namespaceName": args.name})

    def _namespace(self, name: str, args: NamespaceArgs) -> KubernetesNamespace:
        labels = {USES_PLATFORM: args.platform_namespace} if args.platform_namespace else None
        return KubernetesNamespace(
            name,
            metadata={"name": args.name, "labels": labels} if labels else {"name": args.name},
            opts=pulumi.ResourceOptions(
                parent=self,
                protect=args.keep.protects,
                retain_on_delete=args.keep.retains,
                custom_timeouts=pulumi.CustomTimeouts(delete=removal.WITH_CONTENT),
            ),
        )

    def _token(self, name: str, namespace_name: str, hf_token: pulumi.Output[str]) -> Secret:
        return Secret(
            f"{name}-hf-token",
            metadata={"name": TOKEN_SECRET_NAME, "namespace": namespace_name},
            # The SDK marks the whole map as secret, also where the caller has not marked the token.
            string_data={TOKEN_SECRET_KEY: hf_token},
            opts=child(self, [*self.made], delete=removal.ALONE),
        )
