"""From settings to a stack with every decision made; refuses what cannot work before anything exists."""

from recipes.load import load_recipe, recipe_names
from recipes.model import Recipe
from recipes.placed import PlacedRecipe, PlacedService
from stacks.cache import needed_gib, size_in_gib
from stacks.decisions import decisions
from stacks.errors import Problem, SettingsError
from stacks.nearest import nearest
from stacks.placement import place_services
from stacks.pools import Pool, known_pools
from stacks.resolved import (
    KvTransport,
    ResolvedCache,
    ResolvedCluster,
    ResolvedPlatform,
    ResolvedPool,
    ResolvedServing,
    ResolvedStack,
)
from stacks.retention import retained_objects
from stacks.settings import StackSettings
from stacks.timeouts import download_timeout_seconds, ready_timeout_seconds
from stacks.transport import resolve_transport
from stacks.versions import CHART, CHART_REPOSITORY, PLATFORM_RELEASES, PlatformRelease

CACHE_CLAIM_NAME = "model-cache"
RELEASE_NAME = "dynamo-platform"


def resolve(name: str, settings: StackSettings, source: str) -> ResolvedStack:
    """Return the stack that the settings describe.

    Args:
        name: the stack's name, for display only: nothing is decided by it.
        settings: what was typed.
        source: the file it was typed in, for messages.

    Raises:
        SettingsError: every reason found why the stack could not work.

    """
    recipe, recipe_problems = _recipe(settings, source)
    pools, pool_problems = known_pools(settings.node_pools, source)
    release, release_problems = _release(settings, recipe, source)
    problems = [*release_problems, *recipe_problems, *pool_problems]
    services: tuple[PlacedService, ...] = ()
    if recipe and not pool_problems:
        services, placement_problems = place_services(recipe, settings.serving, pools, source)
        problems += placement_problems
    transport, transport_problems = resolve_transport(settings.serving, services, source)
    problems += [*transport_problems, *_cache_problems(settings, recipe, source)]
    problems += _namespace_problems(settings, source)
    if problems or recipe is None or release is None or transport is None:
        raise SettingsError(problems)
    serving = _serving(settings, recipe, services, transport)
    cache = _cache(settings, recipe)
    return ResolvedStack(
        name=name,
        source=source,
        lifecycle=settings.lifecycle,
        cluster=ResolvedCluster(settings.cluster.kind, settings.cluster.context),
        pools=tuple(_resolved_pool(pool, serving) for pool in pools.values()),
        platform=_platform(settings, release),
        cache=cache,
        serving=serving,
        decisions=decisions(settings, serving, cache),
        retained=retained_objects(settings.lifecycle, release, serving.namespace, cache.claim_name),
    )


def _recipe(settings: StackSettings, source: str) -> tuple[Recipe | None, tuple[Problem, ...]]:
    name = settings.serving.recipe
    if name in recipe_names():
        return load_recipe(name), ()
    problem = Problem(
        source,
        "serving.recipe",
        name,
        "no recipe has this name",
        allowed=", ".join(recipe_names()),
        suggestion=nearest(name, recipe_names()),
    )
    return None, (problem,)


def _release(
    settings: StackSettings, recipe: Recipe | None, source: str
) -> tuple[PlatformRelease | None, tuple[Problem, ...]]:
    version = settings.platform.version
    release = PLATFORM_RELEASES.get(version)
    known = ", ".join(f'"{known}"' for known in PLATFORM_RELEASES)
    if release is None:
        message = "not a platform release that this project was written for"
        meant = nearest(version, PLATFORM_RELEASES)
        suggestion = f'"{meant}"' if meant else None
        return None, (
            Problem(source, "platform.version", version, message, allowed=known, suggestion=suggestion),
        )
    if recipe and recipe.runtime.platform_line != release.line:
        message = f"recipe {recipe.name} is written for platform {recipe.runtime.platform_line}"
        return None, (Problem(source, "platform.version", version, message, allowed=known),)
    return release, ()


def _cache_problems(settings: StackSettings, recipe: Recipe | None, source: str) -> tuple[Problem, ...]:
    size = settings.model_cache.size
    if recipe is None or size_in_gib(size) >= needed_gib(recipe.model.size_bytes):
        return ()
    needed = needed_gib(recipe.model.size_bytes)
    message = (
        f"{recipe.model.repository} takes {recipe.model.size_bytes / 1e9:.1f} GB, which needs {needed}Gi "
        f"with room for the download"
    )
    return (
        Problem(
            source, "modelCache.size", size, message, allowed=f"{needed}Gi or more", suggestion=f"{needed}Gi"
        ),
    )


def _namespace_problems(settings: StackSettings, source: str) -> tuple[Problem, ...]:
    if settings.serving.namespace != settings.platform.namespace:
        return ()
    # Both are created, and a namespace that is removed takes everything in it along.
    message = "the graph needs a namespace of its own, apart from the platform's"
    return (Problem(source, "serving.namespace", settings.serving.namespace, message),)


def _serving(
    settings: StackSettings, recipe: Recipe, services: tuple[PlacedService, ...], transport: KvTransport
) -> ResolvedServing:
    serving = settings.serving
    placed = PlacedRecipe(
        recipe=recipe,
        graph_name=serving.name or recipe.graph_name,
        namespace=serving.namespace,
        services=services,
        cache_claim_name=CACHE_CLAIM_NAME,
    )
    return ResolvedServing(
        recipe_name=recipe.name,
        placed=placed,
        kv_transport=transport,
        ready_timeout_seconds=serving.ready_timeout_seconds or ready_timeout_seconds(recipe.model.size_bytes),
    )


def _resolved_pool(pool: Pool, serving: ResolvedServing) -> ResolvedPool:
    used = sum(
        worker.gpus * worker.replicas
        for worker in serving.placed.workers
        if worker.placement and worker.placement.pool == pool.name
    )
    return ResolvedPool(pool.name, pool.instance_type, pool.nodes, used)


def _platform(settings: StackSettings, release: PlatformRelease) -> ResolvedPlatform:
    return ResolvedPlatform(
        version=release.version,
        chart=CHART,
        repository=CHART_REPOSITORY,
        release_name=RELEASE_NAME,
        namespace=settings.platform.namespace,
        nats_storage_class_name=settings.platform.storage_class_name,
        graph_api_version=release.graph_api_version,
        install_timeout_seconds=settings.platform.install_timeout_seconds,
        custom_resource_definitions=release.custom_resource_definitions,
    )


def _cache(settings: StackSettings, recipe: Recipe) -> ResolvedCache:
    cache = settings.model_cache
    return ResolvedCache(
        claim_name=CACHE_CLAIM_NAME,
        storage_class_name=cache.storage_class_name,
        size_gib=size_in_gib(cache.size),
        needed_gib=needed_gib(recipe.model.size_bytes),
        job_name=recipe.model_cache.download_job_name,
        download_timeout_seconds=cache.download_timeout_seconds
        or download_timeout_seconds(recipe.model.size_bytes),
    )
