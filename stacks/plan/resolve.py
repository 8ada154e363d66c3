"""From settings to a stack with every decision made; refuses what cannot work before anything exists."""

from collections.abc import Mapping

from recipes.model import Recipe
from recipes.placed import ComputeDomain, PlacedRecipe
from stacks.errors import Problem, SettingsError
from stacks.plan.cache_problems import placement_problems, source_problems
from stacks.plan.decisions import decisions
from stacks.plan.exposure import exposure_problems, pod_monitor_labels, resolved_exposure
from stacks.plan.infrastructure.plan import EksPlan
from stacks.plan.infrastructure.resolve import eks_plan, eks_problems, existing_problems
from stacks.plan.layers.layer import layer_problems
from stacks.plan.layers.part import Described, own_part, retained_of
from stacks.plan.placement.packing import Packing
from stacks.plan.placement.placement import Placed, place_services
from stacks.plan.placement.pools import Pool, known_pools
from stacks.plan.platform import platform_problems, platform_release, resolved_platform
from stacks.plan.recipe_choice import chosen_recipe
from stacks.plan.resolved import (
    ExistingVolume,
    NodeCopies,
    ResolvedCache,
    ResolvedCluster,
    ResolvedPool,
    ResolvedServing,
    ResolvedStack,
    Waiver,
)
from stacks.plan.resolved_cache import CACHE_CLAIM_NAME, resolved_cache
from stacks.plan.timeouts import load_of, ready_timeout_seconds
from stacks.settings.cluster import EksClusterSettings
from stacks.settings.platform import namespace_name
from stacks.settings.stack import StackSettings


def resolve(name: str, settings: StackSettings, source: str) -> ResolvedStack:
    """Return the stack that the settings describe.

    Args:
        name: the stack's name, for display only: nothing is decided by it.
        settings: what was typed.
        source: the file it was typed in, for messages.

    Raises:
        SettingsError: every reason found why the stack could not work.

    """
    recipe, recipe_problems = chosen_recipe(settings)
    pools, pool_problems = known_pools(settings.node_pools)
    release, release_problems = platform_release(settings.platform.version, recipe)
    problems = [*release_problems, *recipe_problems, *pool_problems]
    placed: Placed | None = None
    if recipe and not pool_problems:
        load = load_of(recipe.model.size_bytes, _read_rate(settings))
        placed, unplaced = place_services(recipe, settings.serving, pools, load.words, source)
        problems += unplaced
    problems += platform_problems(settings.platform, settings.image_mirrors)
    problems += source_problems(settings, recipe)
    problems += _namespace_problems(settings)
    problems += exposure_problems(settings)
    problems += _infrastructure_problems(settings, pools)
    if placed:
        problems += placement_problems(settings, placed.services, pools)
    problems += layer_problems(name, settings)
    problems += _waiver_problems(settings)
    if problems or recipe is None or release is None or placed is None:
        raise SettingsError({source: problems})
    cache = resolved_cache(settings, recipe, placed.services)
    described = Described(
        _cluster(settings),
        _infrastructure(settings, pools),
        resolved_platform(settings.platform, release, settings.image_mirrors, settings.lifecycle),
        cache,
    )
    own = own_part(described, settings)
    serving = _serving(settings, recipe, placed, cache)
    return ResolvedStack(
        name=name,
        source=source,
        layers=own.layers,
        lifecycle=settings.lifecycle,
        cluster=described.cluster,
        infrastructure=own.infrastructure,
        pools=tuple(_resolved_pool(pool, serving, placed.packings) for pool in pools.values()),
        platform=own.platform,
        cache=cache,
        serving=serving,
        network_policies=settings.network_policies,
        waivers=tuple(Waiver(waiver.rule, waiver.reason, waiver.expires) for waiver in settings.waivers),
        decisions=decisions(settings, own.platform, serving, cache),
        retained=retained_of(own, described, settings.lifecycle, serving),
    )


def _cluster(settings: StackSettings) -> ResolvedCluster:
    cluster = settings.cluster
    if isinstance(cluster, EksClusterSettings):
        return ResolvedCluster(cluster.kind, cluster.name, None, None, cluster.region)
    return ResolvedCluster(cluster.kind, cluster.context, cluster.kubeconfig, cluster.server)


def _infrastructure_problems(settings: StackSettings, pools: dict[str, Pool]) -> tuple[Problem, ...]:
    if isinstance(settings.cluster, EksClusterSettings):
        return eks_problems(settings.cluster, settings, pools)
    return existing_problems(settings)


def _infrastructure(settings: StackSettings, pools: dict[str, Pool]) -> EksPlan | None:
    if isinstance(settings.cluster, EksClusterSettings):
        return eks_plan(settings.cluster, settings, pools)
    return None


def _read_rate(settings: StackSettings) -> int | None:
    return settings.model_cache.read_megabytes_per_second if settings.model_cache else None


def _namespace_problems(settings: StackSettings) -> tuple[Problem, ...]:
    name = namespace_name(settings.serving.namespace)
    if name != namespace_name(settings.platform.namespace):
        return ()
    # A namespace that is removed takes everything in it along.
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
    settings: StackSettings, recipe: Recipe, placed: Placed, cache: ResolvedCache
) -> ResolvedServing:
    serving = settings.serving
    return ResolvedServing(
        recipe_name=recipe.name,
        namespace_exists=not isinstance(serving.namespace, str),
        placed=_placed_recipe(settings, recipe, placed, cache),
        kv_transport=placed.transport.transport if placed.transport else None,
        exposure=resolved_exposure(serving.exposure),
        pod_monitor_labels=pod_monitor_labels(settings),
        load=load_of(recipe.model.size_bytes, _read_rate(settings)),
        ready_timeout_seconds=serving.ready_timeout_seconds
        or ready_timeout_seconds(recipe.model.size_bytes, _read_rate(settings)),
    )


def _placed_recipe(
    settings: StackSettings, recipe: Recipe, placed: Placed, cache: ResolvedCache
) -> PlacedRecipe:
    graph_name = settings.serving.name or recipe.graph_name
    path = placed.transport.transport.path if placed.transport else None
    domain = ComputeDomain(f"{graph_name}-compute-domain", f"{graph_name}-channel")
    return PlacedRecipe(
        recipe=recipe,
        graph_name=graph_name,
        namespace=namespace_name(settings.serving.namespace),
        services=placed.services,
        cache_claim_name=CACHE_CLAIM_NAME if isinstance(cache, NodeCopies) else cache.claim_name,
        cache_nodes=None if isinstance(cache, ExistingVolume) else cache.nodes,
        kv_transport=path.transport if path else None,
        compute_domain=domain if path and path.transport == "mnnvl" else None,
        same_clique=path is not None and path.same_clique,
        different_nodes=path is not None and path.different_nodes,
        image_mirrors=dict(settings.image_mirrors),
    )


def _resolved_pool(pool: Pool, serving: ResolvedServing, packings: Mapping[str, Packing]) -> ResolvedPool:
    used = sum(
        worker.gpus * worker.replicas
        for worker in serving.placed.workers
        if worker.placement and worker.placement.pool == pool.name
    )
    packing = packings.get(pool.name)
    return ResolvedPool(
        name=pool.name,
        instance_type=pool.instance_type,
        nodes=pool.nodes,
        labels=pool.labels,
        nvlink_domain_gpus=pool.nvlink_domain_gpus,
        used_gpus=used,
        used_nodes=packing.used_nodes if packing else 0,
        exclusive_nodes=packing.exclusive_nodes if packing else 0,
    )
