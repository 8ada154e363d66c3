"""Registers every resource of a stack, layer by layer."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import pulumi
import pulumi_kubernetes as kubernetes

from components.dynamo_objects import FRONTEND_PORT, frontend_service
from components.namespace import Namespace
from recipes.model_download import HuggingFaceDownload
from stacks.plan.cache_plan import ExistingVolume
from stacks.plan.retention import keep_of
from stacks.plan.stack_plan import StackPlan
from stacks.program.deploy_platform import deploy_guards, deploy_platform, network_policies
from stacks.program.deploy_serving import deploy_cache, deploy_serving, say_notices
from stacks.program.end_of_up import Watch, no_watch
from stacks.program.joined_layers import InfrastructureParts, joined_infrastructure, share
from stacks.program.object_labels import label_objects
from stacks.settings.cluster import ClusterSettings
from stacks.updates.guards.fixed_at_creation import OUTPUT_NAME, fixed_values
from stacks.updates.planned_update import FIRST, Update
from stacks.updates.running import Running

_UPSERT_VARIABLE = "PULUMI_K8S_UPSERT_EXISTING_OBJECTS"


def deploy(
    stack: StackPlan,
    hf_token: pulumi.Output[str] | None = None,
    update: Update = FIRST,
    *,
    running: Running | None = None,
    found_claim: str | None = None,
    lost: Mapping[str, str] = MappingProxyType({}),
    watch: Watch = no_watch,
    learn: Callable[[str], object] | None = None,
) -> None:
    """Register every resource of the stack.

    Args:
        stack: everything that was decided.
        hf_token: token for the download, a secret; None downloads anonymously.
        update: what happens to what runs.
        running: what the state has; None where there is no state, and no account to ask.
        found_claim: uid of the model cache's claim in the cluster; None where nobody can tell.
        lost: uid of a claim of the state, which the cluster does not have -> words for a person.
        watch: is given the graph.
        learn: is given the kubeconfig of a cluster that a stack of this project makes, once it is known.

    """
    # The SDK would write it into the inputs of the cluster's provider, and so into the state, where it would
    # outlive the one run that it was set for. The plugin reads the variable for itself.
    os.environ.pop(_UPSERT_VARIABLE, None)
    label_objects(stack)
    infrastructure = _infrastructure(stack, update, running)
    if learn is not None and infrastructure.kubeconfig is not None:
        infrastructure.kubeconfig.apply(learn)
    # A component hands it on to everything in it: nothing is scheduled before there are nodes and volumes.
    options = pulumi.ResourceOptions(
        providers=[infrastructure.provider], depends_on=infrastructure.before_workloads or None
    )
    namespaces, used_by_graphs = deploy_platform(stack, options)
    if stack.layers.owns("serving"):
        in_namespace = _serving_namespace(stack, hf_token, options)
        cache = deploy_cache(
            stack,
            in_namespace,
            infrastructure,
            options,
            has_token=hf_token is not None,
            found_claim=found_claim,
            lost=lost,
        )
        policies = network_policies(stack, [*in_namespace, *namespaces], options)
        graph = deploy_serving(
            stack,
            in_namespace,
            used_by_graphs,
            options,
            update,
            infrastructure=infrastructure,
            cache=cache,
            policies=policies,
            watch=watch,
        )
        name, place = stack.serving.graph_name, stack.serving.namespace
        pulumi.export("graph", name)
        pulumi.export("namespace", place)
        pulumi.export("frontend", f"{frontend_service(name)}.{place}.svc.cluster.local:{FRONTEND_PORT}")
    else:
        policies = network_policies(stack, namespaces, options)
        graph = []
        made = (*used_by_graphs, *infrastructure.before_workloads)
        say_notices(update, next(iter(made), None))
    if stack.platform is not None:
        parts = [*used_by_graphs, *policies]
        deploy_guards(stack, stack.platform, infrastructure.kubeconfig, platform=parts, graph=graph)
    share(stack, infrastructure, used_by_graphs)
    pulumi.export(OUTPUT_NAME, fixed_values(stack))


def kubeconfig_file(cluster: ClusterSettings) -> str | None:
    """Return the path that the settings name; None: the KUBECONFIG environment variable decides."""
    return str(Path(cluster.kubeconfig).expanduser()) if cluster.kubeconfig else None


def _infrastructure(stack: StackPlan, update: Update, running: Running | None) -> InfrastructureParts:
    if "infrastructure" in stack.layers.joined:
        return joined_infrastructure(stack.layers)
    if stack.infrastructure is None:
        # Never the ambient one, whose cluster is whatever was used last. The identifier stays when a
        # kubeconfig moves or gets new credentials; without it every object in the cluster would be replaced.
        provider = kubernetes.Provider(
            "cluster",
            kubeconfig=kubeconfig_file(stack.settings.cluster),
            context=stack.settings.cluster.context,
            cluster_identifier=stack.settings.cluster.context,
        )
        return InfrastructureParts(provider)
    # The AWS SDK takes longer to load than a whole `check` of a stack without it.
    from stacks.program.deploy_infrastructure import deploy_infrastructure  # noqa: PLC0415

    return deploy_infrastructure(
        stack.infrastructure,
        keep=stack.settings.lifecycle == "production",
        resized=update.resized,
        running=running,
    )


def _serving_namespace(
    stack: StackPlan, hf_token: pulumi.Output[str] | None, options: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    if isinstance(stack.cache, ExistingVolume):
        return []
    made = Namespace(
        "serving-namespace",
        title=stack.serving.namespace,
        platform_namespace=stack.platform.namespace if stack.platform else None,
        lifecycle=stack.settings.lifecycle,
        # Nothing else reads it.
        hf_token=hf_token if isinstance(stack.cache.source, HuggingFaceDownload) else None,
        keep=keep_of(stack, "Namespace", stack.serving.namespace),
        exists=stack.serving.namespace_exists,
        opts=options,
    )
    return [made]
