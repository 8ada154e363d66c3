"""Rules about GPUs, nodes, NVLink domains and the way of the KV cache."""

from rules.model import Rule
from rules.topology import (
    compute_domain_claims,
    gpus_match_parallelism,
    kv_transport_proven,
    one_claim_per_tray,
    worker_fits_node,
)

RULES: tuple[Rule, ...] = (
    gpus_match_parallelism.RULE,
    worker_fits_node.RULE,
    compute_domain_claims.RULE,
    one_claim_per_tray.RULE,
    kv_transport_proven.RULE,
)
