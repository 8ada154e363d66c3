"""From settings to a stack with every decision made; refuses what cannot work before anything exists."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from recipes.model import Recipe
from recipes.placed import PlacedRecipe
from stacks.errors import Problem, SettingsError
from stacks.plan.cache_plan import (
    CachePlan,
    ExistingVolume,
    cache_plan,
    claim_name,
    made_storage,
)
from stacks.plan.cache_problems import placement_problems, source_problems, storage_problems
from stacks.plan.infrastructure.cluster import cluster_problems, eks_plan
from stacks.plan.layers.layering import layer_problems, layering, owned_layers
from stacks.plan.placement.pools import known_pools
from stacks.plan.placement.services import Placed, place_services
from stacks.plan.platform.platform_plan import (
    ExistingPlatform,
    platform_plan,
    platform_problems,
    release_problems,
)
from stacks.plan.recipe_choice import chosen_recipe
from stacks.plan.retention import retained_objects
from stacks.plan.stack_plan import ServingPlan, StackPlan
from stacks.settings.cluster import EksClusterSettings
from stacks.settings.platform import namespace_name
from stacks.settings.services import IngressExposure
from stacks.settings.stack import StackSettings


def resolve(name: str, settings: StackSettings, source: str, directory: Path = Path()) -> StackPlan:
    """Return the stack that the settings describe.

    Args:
        name: the stack's name, for display and labels: nothing is decided by it.
        settings: of the stack.
        source: their file, for messages.
        directory: where that lies, and relative paths in it begin; the engine runs the program there.

    Raises:
        SettingsError: every reason found why the stack could not work.

    """
    pools, pool_problems = known_pools(settings.node_pools)
    recipe, recipe_problems = chosen_recipe(settings, pools, directory)
    placed, unplaced = None, ()
    if recipe and not pool_problems:
        placed, unplaced = place_services(recipe, settings, pools)
    problems = [
        *release_problems(settings.platform, recipe),
        *recipe_problems,
        *pool_problems,
        *unplaced,
        *platform_problems(settings.platform),
        *source_problems(settings, recipe),
        *_namespace_problems(settings),
        *_exposure_problems(settings),
        *cluster_problems(settings, pools),
        *storage_problems(settings),
        *(placement_problems(settings, placed.services, pools) if placed else ()),
        *layer_problems(name, settings),
    ]
    if problems or recipe is None or placed is None:
        raise SettingsError({source: problems})
    eks = eks_plan(settings, pools, made_storage(settings))
    platform = platform_plan(settings.platform, settings) if settings.platform else None
    layers = layering(settings, eks, platform)
    if platform is not None and not layers.owns("platform"):
        platform = ExistingPlatform(platform.version, platform.namespace, platform.namespace_exists)
    cache = cache_plan(settings, recipe, placed.services)
    serving = _serving(name, settings, recipe, placed, cache)
    stack = StackPlan(
        name=name,
        source=source,
        layers=layers,
        settings=settings,
        eks=eks,
        pools=placed.pools,
        platform=platform,
        cache=cache,
        serving=serving,
    )
    return replace(stack, retained=retained_objects(stack))


def _namespace_problems(settings: StackSettings) -> tuple[Problem, ...]:
    name = namespace_name(settings.serving.namespace)
    if settings.platform is None or name != namespace_name(settings.platform.namespace):
        return ()
    # Removing a namespace removes everything in it.
    message = "the graph needs a namespace of its own, apart from the platform's"
    return (Problem("serving.namespace", name, message),)


def _serving(
    name: str, settings: StackSettings, recipe: Recipe, placed: Placed, cache: CachePlan
) -> ServingPlan:
    serving, cluster = settings.serving, settings.cluster
    has_prometheus = isinstance(cluster, EksClusterSettings) and cluster.monitoring
    labels: Mapping[str, str] | None = serving.pod_monitor.labels if serving.pod_monitor else None
    if labels is None and has_prometheus:
        # A Prometheus that comes with the cluster reads every monitor, whatever its labels.
        labels = {}
    return ServingPlan(
        namespace_exists=not isinstance(serving.namespace, str),
        placed=PlacedRecipe(
            # A benchmark, its points and the limits of the alerts are of the replicas that serve.
            recipe=recipe.with_replicas({each.name: each.replicas for each in placed.services}),
            graph_name=serving.name or recipe.graph_name,
            namespace=namespace_name(serving.namespace),
            services=placed.services,
            cache_claim_name=claim_name(settings),
            cache_nodes=None if isinstance(cache, ExistingVolume) else cache.nodes,
            kv_transport=placed.kv_transport,
            image_mirrors=settings.image_mirrors,
            # Pods are labelled by it.
            instance=name,
        ),
        pod_monitor_labels=labels,
        has_alerts=has_prometheus and recipe.engine_server is None,
        load=placed.load,
        ready_timeout_seconds=serving.ready_timeout_seconds or placed.load.ready_timeout_seconds,
    )


def _exposure_problems(settings: StackSettings) -> Iterator[Problem]:
    """Yield why no controller would answer an Ingress.

    The stack makes the cluster and installs no Ingress controller. EKS answers a Service of type LoadBalancer
    by itself (https://docs.aws.amazon.com/eks/latest/userguide/network-load-balancing.html), an Ingress never
    (https://docs.aws.amazon.com/eks/latest/userguide/alb-ingress.html).
    """
    exposure = settings.serving.exposure
    if not isinstance(exposure, IngressExposure) or not {"infrastructure", "serving"} <= set(
        owned_layers(settings)
    ):
        return
    yield Problem(
        "serving.exposure.kind",
        exposure.kind,
        "the cluster that this stack makes has no Ingress controller, so the Ingress would wait for its "
        "address for ten minutes and fail",
        allowed="internalLoadBalancer, or no exposure; with a stack for each layer (docs/layers.md) install "
        "a controller, such as the AWS Load Balancer Controller, before the stack that serves",
        suggestion="kind: internalLoadBalancer",
    )
