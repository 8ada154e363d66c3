"""From settings to a stack with every decision made; refuses what cannot work before anything exists."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from recipes.model import Recipe
from stacks.errors import Problem, SettingsError
from stacks.plan.cache_plan import (
    CACHE_CLAIM_NAME,
    CachePlan,
    ExistingVolume,
    NodeCopies,
    cache_plan,
    made_storage,
)
from stacks.plan.cache_problems import placement_problems, source_problems, storage_problems
from stacks.plan.infrastructure.cluster import cluster_plan, cluster_problems, eks_plan
from stacks.plan.layers.layering import layer_problems, layering, owned_layers
from stacks.plan.placement.pools import known_pools
from stacks.plan.placement.services import Placed, place_services, placed_recipe
from stacks.plan.platform import (
    PlatformPlan,
    as_existing,
    platform_plan,
    platform_problems,
    platform_release,
)
from stacks.plan.recipe_choice import chosen_recipe, typed_settings
from stacks.plan.retention import retained_objects
from stacks.plan.stack_plan import ServingPlan, StackPlan
from stacks.plan.timeouts import load_of
from stacks.plan.versions import PlatformLine
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
    release, release_problems = platform_release(settings.platform, recipe)
    problems = [*release_problems, *recipe_problems, *pool_problems]
    placed: Placed | None = None
    if recipe and not pool_problems:
        load = load_of(recipe.download_bytes, _read_rate(settings))
        placed, unplaced = place_services(recipe, settings.serving, pools, load.words)
        problems += unplaced
    problems += platform_problems(settings.platform, settings.image_mirrors)
    problems += source_problems(settings, recipe)
    problems += _namespace_problems(settings)
    problems += exposure_problems(settings)
    problems += cluster_problems(settings, pools)
    problems += storage_problems(settings)
    if placed:
        problems += placement_problems(settings, placed.services, pools)
    problems += layer_problems(name, settings)
    problems += _waiver_problems(settings)
    if problems or recipe is None or placed is None:
        raise SettingsError({source: problems})
    cluster, eks = cluster_plan(settings), eks_plan(settings, pools, made_storage(settings))
    platform = _platform(settings, release)
    layers = layering(settings, cluster, eks, platform)
    if platform is not None and not layers.owns("platform"):
        platform = as_existing(platform)
    cache = cache_plan(settings, recipe, placed.services)
    serving = _serving(name, settings, recipe, placed, cache)
    stack = StackPlan(
        name=name,
        source=source,
        layers=layers,
        lifecycle=settings.lifecycle,
        cluster=cluster,
        infrastructure=eks if layers.owns("infrastructure") else None,
        pools=placed.pools,
        platform=platform,
        cache=cache,
        serving=serving,
        network_policies=settings.network_policies,
        waivers=settings.waivers,
    )
    return replace(stack, retained=retained_objects(stack))


def _platform(settings: StackSettings, release: PlatformLine | None) -> PlatformPlan | None:
    if settings.platform is None or release is None:
        return None
    keep = settings.lifecycle == "production"
    return platform_plan(settings.platform, release, settings.image_mirrors, keep_volumes=keep)


def _read_rate(settings: StackSettings) -> int | None:
    return settings.model_cache.read_megabytes_per_second if settings.model_cache else None


def _namespace_problems(settings: StackSettings) -> tuple[Problem, ...]:
    name = namespace_name(settings.serving.namespace)
    if settings.platform is None or name != namespace_name(settings.platform.namespace):
        return ()
    # Removing a namespace removes everything in it.
    message = "the graph needs a namespace of its own, apart from the platform's"
    return (Problem("serving.namespace", name, message),)


def _waiver_problems(settings: StackSettings) -> tuple[Problem, ...]:
    rules = [waiver.rule for waiver in settings.waivers]
    message = "this rule is waived twice: which reason and which date would hold?"
    return tuple(
        Problem(f"waivers[{index}].rule", rule, message, suggestion="leave one of them out")
        for index, rule in enumerate(rules)
        if rule in rules[:index]
    )


def _serving(
    name: str, settings: StackSettings, recipe: Recipe, placed: Placed, cache: CachePlan
) -> ServingPlan:
    serving = settings.serving
    load = load_of(recipe.download_bytes, _read_rate(settings))
    return ServingPlan(
        namespace_exists=not isinstance(serving.namespace, str),
        placed=placed_recipe(
            recipe,
            settings,
            placed,
            CACHE_CLAIM_NAME if isinstance(cache, NodeCopies) else cache.claim_name,
            None if isinstance(cache, ExistingVolume) else cache.nodes,
            instance=name,
        ),
        exposure=serving.exposure,
        pod_monitor_labels=pod_monitor_labels(settings),
        has_alerts=has_alerts(settings, recipe),
        load=load,
        ready_timeout_seconds=serving.ready_timeout_seconds or load.ready_timeout_seconds,
        waits_for_room=serving.wait_for_room,
        fills_pools=serving.replicas == "fill",
        typed=typed_settings(serving),
    )


def exposure_problems(settings: StackSettings) -> Iterator[Problem]:
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


def pod_monitor_labels(settings: StackSettings) -> Mapping[str, str] | None:
    """Return the labels of the PodMonitor; None where there is none.

    A Prometheus that comes with the cluster reads every monitor, whatever its labels.
    """
    monitor, cluster = settings.serving.pod_monitor, settings.cluster
    if monitor is not None:
        return dict(monitor.labels)
    return {} if isinstance(cluster, EksClusterSettings) and cluster.monitoring else None


def has_alerts(settings: StackSettings, recipe: Recipe) -> bool:
    """Whether Prometheus and Grafana come with the cluster; they watch graphs of Dynamo's alone."""
    cluster = settings.cluster
    return isinstance(cluster, EksClusterSettings) and cluster.monitoring and recipe.engine_server is None
