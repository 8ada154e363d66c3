"""The Pulumi program: a resolved stack -> components, in the order in which they make each other work."""

import json

import pulumi
import pulumi_kubernetes as kubernetes

from components.dynamo_graph import DynamoGraph, DynamoGraphArgs, Placement
from components.dynamo_platform import DynamoPlatform, DynamoPlatformArgs
from components.model_cache import ModelCache, ModelCacheArgs
from components.namespace import Namespace, NamespaceArgs
from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from recipes.model_download import download_job_spec
from recipes.placed import PlacedRecipe
from stacks.errors import Problem, SettingsError
from stacks.parse import parse_settings, plain_token_problem, secret_settings_problem
from stacks.resolve import resolve
from stacks.resolved import ResolvedPlatform, ResolvedStack

SETTINGS_KEY = "settings"
TOKEN_KEY = "hfToken"  # noqa: S105 - the name of a configuration key, not a token


def main() -> None:
    """Register the stack that the engine was started for.

    Raises:
        pulumi.RunError: the settings cannot be used; its text is meant for a person, without a traceback.

    """
    config = pulumi.Config()
    name = pulumi.get_stack()
    source = f"Pulumi.{name}.yaml"
    try:
        token = _configured_token(config, source)
        stack = resolve(name, parse_settings(_configured_settings(config, source), source), source)
    except SettingsError as error:
        raise pulumi.RunError(str(error)) from None
    deploy(stack, token, diagnose=True)


def deploy(
    stack: ResolvedStack, hf_token: pulumi.Output[str] | None = None, *, diagnose: bool = False
) -> None:
    """Register every resource of the stack.

    Args:
        stack: everything that was decided.
        hf_token: token for the download, a secret; None downloads anonymously.
        diagnose: look at the pods of a graph that does not become ready; needs a real engine.

    """
    provider = _provider(stack)
    options = pulumi.ResourceOptions(providers=[provider])
    keep = stack.lifecycle == "production"
    placed = stack.serving.placed

    platform = _platform(stack.platform, options)
    namespace = Namespace(
        "serving-namespace",
        NamespaceArgs(name=stack.serving.namespace, hf_token=hf_token, keep=keep),
        options,
    )
    cache = _cache(stack, namespace, options, keep=keep)
    files = engine_files(placed)
    DynamoGraph(
        "graph",
        DynamoGraphArgs(
            name=placed.graph_name,
            namespace=placed.namespace,
            api_version=stack.platform.graph_api_version,
            spec=graph_spec(placed, files.name),
            engine_config_map_name=files.name,
            engine_files=files.data,
            placement=_placement(placed),
            ready_timeout_seconds=stack.serving.ready_timeout_seconds,
            diagnose_in_context=stack.cluster.context if diagnose else None,
        ),
        # Created last, so destroyed first: a graph whose operator is gone keeps its finalizer, and with it
        # its namespace, for ever (NVIDIA/aicr#406).
        depends_on=[namespace.namespace, platform.release, cache.claim, cache.download],
        opts=options,
    )
    pulumi.export("graph", placed.graph_name)
    pulumi.export("namespace", placed.namespace)
    pulumi.export("frontend", f"{placed.graph_name}-frontend.{placed.namespace}.svc.cluster.local:8000")


def _provider(stack: ResolvedStack) -> kubernetes.Provider:
    """Return the one provider: never the ambient one, whose cluster is whatever was used last.

    The cluster's identifier stays when its kubeconfig moves or gets new credentials; without it such a
    change would replace every object in the cluster.
    """
    return kubernetes.Provider(
        "cluster", context=stack.cluster.context, cluster_identifier=stack.cluster.context
    )


def _platform(platform: ResolvedPlatform, options: pulumi.ResourceOptions) -> DynamoPlatform:
    namespace = Namespace("platform-namespace", NamespaceArgs(name=platform.namespace), options)
    return DynamoPlatform(
        "dynamo-platform",
        DynamoPlatformArgs(
            release_name=platform.release_name,
            namespace=platform.namespace,
            chart=platform.chart,
            version=platform.version,
            repository=platform.repository,
            nats_storage_class_name=platform.nats_storage_class_name,
            timeout_seconds=platform.install_timeout_seconds,
        ),
        depends_on=[namespace.namespace],
        opts=options,
    )


def _cache(
    stack: ResolvedStack, namespace: Namespace, options: pulumi.ResourceOptions, *, keep: bool
) -> ModelCache:
    cache = stack.cache
    token_secret = namespace.token_secret
    depends_on: list[pulumi.Resource] = [namespace.namespace]
    if token_secret is not None:
        depends_on.append(token_secret)
    return ModelCache(
        "model-cache",
        ModelCacheArgs(
            namespace=stack.serving.namespace,
            claim_name=cache.claim_name,
            storage_class_name=cache.storage_class_name,
            size_gib=cache.size_gib,
            job_name=cache.job_name,
            job_spec=download_job_spec(
                stack.serving.placed.recipe, cache.claim_name, namespace.token_secret_name
            ),
            download_timeout_seconds=cache.download_timeout_seconds,
            keep=keep,
        ),
        depends_on=depends_on,
        opts=options,
    )


def _placement(placed: PlacedRecipe) -> dict[str, Placement]:
    return {
        worker.name: Placement(
            pool=worker.placement.pool,
            instanceType=worker.placement.instance_type,
            nodes=worker.placement.nodes,
        )
        for worker in placed.workers
        if worker.placement
    }


def _configured_settings(config: pulumi.Config, source: str) -> object:
    text = config.get(SETTINGS_KEY)
    key = config.full_key(SETTINGS_KEY)
    if text is None:
        raise SettingsError([Problem(source, key, None, "is missing: the stack has no settings")])
    if pulumi.runtime.is_config_secret(key):
        raise SettingsError([secret_settings_problem(source)])
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _configured_token(config: pulumi.Config, source: str) -> pulumi.Output[str] | None:
    token = config.get_secret(TOKEN_KEY)
    if token is not None and not pulumi.runtime.is_config_secret(config.full_key(TOKEN_KEY)):
        raise SettingsError([plain_token_problem(source)])
    return token
