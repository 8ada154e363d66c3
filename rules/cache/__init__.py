"""Rules about the volume that holds the model."""

from rules.cache import (
    cache_not_under_root,
    claims,
    download_memory_limited,
    download_tool_current,
    frontend_reads_the_cache,
    harmony_vocabulary,
    model_path_mounted,
    model_revision_equal,
    model_revision_pinned,
    named_secrets_exist,
    node_cache_awaited,
    node_cache_filled,
    offline_frontend_has_the_model,
    offline_worker_finds_the_model,
    service_mounts_kept,
)
from rules.model import Rule

RULES: tuple[Rule, ...] = (
    claims.cache_shared_by_nodes,
    claims.cache_holds_the_model,
    claims.cache_holds_two_revisions,
    cache_not_under_root.RULE,
    model_path_mounted.RULE,
    service_mounts_kept.RULE,
    model_revision_pinned.RULE,
    model_revision_equal.RULE,
    offline_frontend_has_the_model.RULE,
    frontend_reads_the_cache.RULE,
    offline_worker_finds_the_model.RULE,
    harmony_vocabulary.RULE,
    claims.storage_class_exists,
    claims.cache_zone,
    node_cache_filled.RULE,
    node_cache_awaited.RULE,
    download_tool_current.RULE,
    download_memory_limited.RULE,
    named_secrets_exist.RULE,
)
