"""Where the model's files come from, and the volume and Job that bring them to the pods."""

from recipes.model import Recipe
from stacks.errors import Problem
from stacks.plan.cache import needed_gib, size_in_gib
from stacks.plan.infrastructure.node_storage import node_directory
from stacks.plan.infrastructure.planned_node_storage import CACHE_CLASS
from stacks.plan.infrastructure.storage import volume_name
from stacks.plan.stack_plan import ResolvedCache
from stacks.plan.timeouts import check_timeout_seconds, download_timeout_seconds
from stacks.settings.cluster import EfsStorage, EksClusterSettings, LustreStorage
from stacks.settings.node_storage import EbsStorage, InstanceStoreStorage
from stacks.settings.stack import ExistingVolumeSource, ModelCacheSettings, S3Source, StackSettings

CACHE_CLAIM_NAME = "model-cache"
CHECK_JOB_NAME = "model-check"


def cache_problems(settings: StackSettings, recipe: Recipe | None) -> tuple[Problem, ...]:
    """Return why the model's files would not be where the pods look for them."""
    cache = settings.model_cache
    if isinstance(settings.model.source, ExistingVolumeSource):
        if cache is None:
            return ()
        message = "the model is on an existing volume, whose size and class are its own"
        return (Problem("modelCache", None, message, suggestion="leave modelCache out"),)
    if cache is None:
        message = f"is missing: the files from {settings.model.source.kind} need a volume"
        return (Problem("modelCache", None, message, allowed="a mapping with size, storageClassName"),)
    return _size_problems(cache, recipe) if recipe else ()


def resolved_cache(settings: StackSettings, recipe: Recipe) -> ResolvedCache:
    """Return the volume and the Job that fills or checks it; the settings have no `cache_problems`."""
    origin, cache = settings.model.source, settings.model_cache
    size_bytes = recipe.model.size_bytes
    s3 = origin if isinstance(origin, S3Source) else None
    if isinstance(origin, ExistingVolumeSource) or cache is None:
        claim_name = origin.claim_name if isinstance(origin, ExistingVolumeSource) else CACHE_CLAIM_NAME
        job_name, seconds = CHECK_JOB_NAME, check_timeout_seconds(size_bytes)
    else:
        claim_name, job_name = CACHE_CLAIM_NAME, recipe.model_cache.download_job_name
        seconds = cache.download_timeout_seconds or download_timeout_seconds(size_bytes)
    return ResolvedCache(
        claim_name=claim_name,
        source=origin.kind,
        s3_address=s3.address if s3 else None,
        s3_region=s3.region if s3 else None,
        service_account_name=s3.service_account_name if s3 else None,
        storage_class_name=_class_name(cache) if cache else None,
        volume_name=_volume_name(settings),
        node_directory=node_directory(settings),
        size_gib=size_in_gib(cache.size) if cache else None,
        needed_gib=needed_gib(size_bytes),
        job_name=job_name,
        download_timeout_seconds=seconds,
    )


def _class_name(cache: ModelCacheSettings) -> str | None:
    match cache.storage:
        case EbsStorage():
            return CACHE_CLASS
        case InstanceStoreStorage():
            return None
        case _:
            return cache.storage_class_name or ""


def _volume_name(settings: StackSettings) -> str | None:
    cache, cluster = settings.model_cache, settings.cluster
    if cache is None or not isinstance(cluster, EksClusterSettings):
        return None
    if not isinstance(cache.storage, LustreStorage | EfsStorage):
        return None
    return volume_name(cluster)


def _size_problems(cache: ModelCacheSettings, recipe: Recipe) -> tuple[Problem, ...]:
    needed = needed_gib(recipe.model.size_bytes)
    if size_in_gib(cache.size) >= needed:
        return ()
    message = (
        f"{recipe.model.repository} takes {recipe.model.size_bytes / 1e9:.1f} GB, which needs {needed}Gi "
        f"with room for the download"
    )
    return (
        Problem(
            "modelCache.size",
            cache.size,
            message,
            allowed=f"{needed}Gi or more",
            suggestion=f"{needed}Gi",
        ),
    )
