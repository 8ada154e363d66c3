"""Rules about the volume that holds the model."""

from rules.cache import claims, downloads, mounts
from rules.rule import Rule

RULES: tuple[Rule, ...] = (
    claims.cache_shared_by_nodes,
    claims.cache_holds_the_model,
    mounts.model_path_mounted,
    mounts.service_mounts_kept,
    downloads.model_revision_equal,
    claims.offline_frontend_has_the_model,
    downloads.offline_worker_finds_the_model,
    claims.storage_class_exists,
    downloads.node_cache_filled,
    mounts.named_secrets_exist,
)
