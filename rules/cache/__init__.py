"""Rules about the volume that holds the model."""

from rules.cache import claims, downloads, frontends, mounts
from rules.model import Rule

RULES: tuple[Rule, ...] = (
    claims.cache_shared_by_nodes,
    claims.cache_holds_the_model,
    claims.cache_holds_two_revisions,
    mounts.cache_not_under_root,
    mounts.model_path_mounted,
    mounts.service_mounts_kept,
    downloads.model_revision_pinned,
    downloads.model_revision_equal,
    frontends.offline_frontend_has_the_model,
    frontends.frontend_reads_the_cache,
    downloads.offline_worker_finds_the_model,
    frontends.harmony_vocabulary,
    claims.storage_class_exists,
    claims.cache_zone,
    downloads.node_cache_filled,
    downloads.node_cache_awaited,
    downloads.download_tool_current,
    downloads.download_memory_limited,
    mounts.named_secrets_exist,
)
