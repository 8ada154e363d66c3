"""The Pulumi program: a resolved stack -> components, in the order in which they make each other work."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pulumi
import pulumi_kubernetes as kubernetes

from components.diagnosis.cluster_reader import ClusterReader
from components.diagnosis.hook import explain_failures
from components.diagnosis.own_cluster import OwnCluster
from components.diagnosis.typed_settings import TypedSettings
from components.graph_labels import FRONTEND_PORT
from components.keeping import Keep
from components.namespace import Namespace, NamespaceArgs
from stacks.errors import Problem, SettingsError
from stacks.guards.cluster_identity import cluster_problems
from stacks.guards.fixed_at_creation import OUTPUT_NAME, REBUILT_VARIABLE, changed_problems, fixed_values
from stacks.guards.model_volume import volume_problems
from stacks.guards.previous_outputs import outputs_of, previous_run
from stacks.layers.owners import owner_problems
from stacks.program_layers import InfrastructureParts, joined_infrastructure, joined_platform, share
from stacks.program_platform import PlatformParts, deploy_platform, protect_servers
from stacks.program_serving import CachePlace, deploy_serving, say_notices
from stacks.reading.parse import parse_settings, plain_token_problem, secret_settings_problem
from stacks.resolve import resolve
from stacks.resolved import ResolvedCluster, ResolvedServing, ResolvedStack
from stacks.retention import protected_objects
from stacks.updates.deployed import deployed
from stacks.updates.plan import FIRST, Update, planned_update
from stacks.updates.rollout import beside_what_runs

SETTINGS_KEY = "settings"
_UPSERT_VARIABLE = "PULUMI_K8S_UPSERT_EXISTING_OBJECTS"
TOKEN_KEY = "hfToken"  # noqa: S105 - the name of a configuration key, not a token


def main() -> None:
    """Register the stack that the engine was started for.

    Raises:
        pulumi.RunError: the settings cannot be used, lead to another cluster, or change what is fixed; its
            text is meant for a person, without a traceback.

    """
    config = pulumi.Config()
    name = pulumi.get_stack()
    source = f"Pulumi.{name}.yaml"
    try:
        token = _configured_token(config, source)
        typed = _configured_settings(config, source)
        stack = resolve(name, parse_settings(typed, source), source)
        if stack.cluster.kind == "existing":
            # No kubeconfig of a person leads to a cluster that a stack of this project makes.
            _refuse(cluster_problems(stack.cluster, source, os.environ))
        _refuse(owner_problems(stack.layers, outputs_of, source))
        rebuilt = os.environ.get(REBUILT_VARIABLE, "")
        previous = previous_run()
        before = deployed(previous.resources)
        _refuse(
            (
                *changed_problems(previous.fixed, fixed_values(stack), source, rebuilt),
                *volume_problems(before.volume, stack.cache, source),
            )
        )
    except SettingsError as error:
        raise pulumi.RunError(str(error)) from None
    stack = beside_what_runs(stack, before)
    _explain_failures(stack, typed)
    deploy(stack, token, planned_update(stack, before))


def deploy(
    stack: ResolvedStack,
    hf_token: pulumi.Output[str] | None = None,
    update: Update = FIRST,
) -> None:
    """Register every resource of the stack.

    Args:
        stack: everything that was decided.
        hf_token: token for the download, a secret; None downloads anonymously.
        update: what happens to what runs.

    """
    # The SDK would write it into the inputs of the cluster's provider, and so into the state, where it would
    # outlive the one run that it was set for. The plugin reads the variable for itself.
    os.environ.pop(_UPSERT_VARIABLE, None)
    infrastructure = _infrastructure(stack, update)
    # A component hands it on to everything in it: nothing is scheduled before there are nodes and volumes.
    options = pulumi.ResourceOptions(
        providers=[infrastructure.provider], depends_on=infrastructure.before_workloads or None
    )
    platform = _platform(stack, options, infrastructure)
    if stack.layers.owns("serving"):
        namespace = _serving_namespace(stack, hf_token, options) if stack.creates_namespace else None
        place = CachePlace(
            keep=_keep(stack, "PersistentVolumeClaim", stack.cache.claim_name),
            file_system=infrastructure.file_system,
        )
        deploy_serving(stack, namespace, platform, options, update, cache_place=place)
        _export_serving(stack.serving)
    else:
        protect_servers(stack, platform, options)
        made = (*platform.used_by_graphs, *infrastructure.before_workloads)
        say_notices(update, next(iter(made), None))
    share(stack, infrastructure, platform.used_by_graphs)
    pulumi.export(OUTPUT_NAME, fixed_values(stack))


def _infrastructure(stack: ResolvedStack, update: Update) -> InfrastructureParts:
    joined = stack.layers.joined.get("infrastructure")
    if joined is not None:
        return joined_infrastructure(joined)
    if stack.infrastructure is None:
        return InfrastructureParts(_provider(stack.cluster))
    # The AWS SDK takes longer to load than a whole `check` of a stack without it.
    from stacks.program_infrastructure import deploy_infrastructure  # noqa: PLC0415

    keep = stack.lifecycle == "production"
    return deploy_infrastructure(stack.infrastructure, keep=keep, resized=update.resized)


def _platform(
    stack: ResolvedStack, options: pulumi.ResourceOptions, infrastructure: InfrastructureParts
) -> PlatformParts:
    keep = _keep(stack, "Namespace", stack.platform.namespace)
    platform = deploy_platform(stack, options, keep=keep)
    joined = stack.layers.joined.get("platform")
    if joined is not None:
        platform = replace(platform, used_by_graphs=(joined_platform(joined),))
    return replace(platform, devices=infrastructure.before_graph)


def _export_serving(serving: ResolvedServing) -> None:
    frontend = f"{serving.graph_name}-frontend.{serving.namespace}.svc.cluster.local:{FRONTEND_PORT}"
    pulumi.export("graph", serving.graph_name)
    pulumi.export("namespace", serving.namespace)
    pulumi.export("frontend", frontend)


def _explain_failures(stack: ResolvedStack, typed: object) -> None:
    region = stack.cluster.region
    cluster = (
        OwnCluster(stack.cluster.context, region)
        if region
        else ClusterReader(stack.cluster.context, _kubeconfig_file(stack.cluster))
    )
    explain_failures(cluster, TypedSettings(stack.source, typed))


def _serving_namespace(
    stack: ResolvedStack, hf_token: pulumi.Output[str] | None, options: pulumi.ResourceOptions
) -> Namespace:
    return Namespace(
        "serving-namespace",
        NamespaceArgs(
            name=stack.serving.namespace,
            platform_namespace=stack.platform.namespace,
            lifecycle=stack.lifecycle,
            # Nothing else reads it.
            hf_token=hf_token if stack.cache.source == "huggingface" else None,
            keep=_keep(stack, "Namespace", stack.serving.namespace),
        ),
        options,
    )


def _refuse(problems: tuple[Problem, ...]) -> None:
    if problems:
        raise SettingsError(problems)


def _keep(stack: ResolvedStack, kind: str, name: str) -> Keep:
    # What `explain` lists is what is kept: there is no second decision.
    if any((item.kind, item.name) == (kind, name) for item in stack.retained):
        return Keep.RETAINED
    protected = protected_objects(stack.lifecycle, stack.platform, stack.serving.namespace, stack.cache)
    return Keep.PROTECTED if (kind, name) in protected else Keep.NOTHING


def _provider(cluster: ResolvedCluster) -> kubernetes.Provider:
    """Return the one provider: never the ambient one, whose cluster is whatever was used last.

    The cluster's identifier stays when its kubeconfig moves or gets new credentials; without it such a
    change would replace every object in the cluster.
    """
    return kubernetes.Provider(
        "cluster",
        kubeconfig=_kubeconfig_file(cluster),
        context=cluster.context,
        cluster_identifier=cluster.context,
    )


def _kubeconfig_file(cluster: ResolvedCluster) -> str | None:
    return str(Path(cluster.kubeconfig).expanduser()) if cluster.kubeconfig else None


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
