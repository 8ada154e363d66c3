"""Rules about GPUs, nodes, NVLink domains and the way of the KV cache."""

from rules.rule import Rule
from rules.topology import (
    compute_domains,
    kv_setup,
    kv_transport,
    named_objects,
    node_room,
    node_selection,
    parallelism,
    prefill_and_decode,
    services,
)

RULES: tuple[Rule, ...] = (
    parallelism.gpus_match_parallelism,
    parallelism.parallelism_divides_model,
    parallelism.gpu_resource_is_offered,
    node_room.worker_fits_node,
    node_room.workers_fit_pool,
    parallelism.tensor_parallelism_inside_nvlink_domain,
    node_selection.pod_selects_a_pool,
    node_selection.image_architecture_matches_node,
    parallelism.ranks_can_share_memory,
    node_room.rollout_can_proceed,
    node_selection.pod_affinity_can_match,
    node_room.pods_request_memory,
    named_objects.named_objects_exist,
    compute_domains.compute_domain_claims,
    compute_domains.one_claim_per_tray,
    compute_domains.one_compute_domain,
    compute_domains.nvlink_domain_holds_the_pods,
    prefill_and_decode.roles_complete,
    prefill_and_decode.cache_transceiver_configured,
    prefill_and_decode.prefill_and_decode_agree,
    kv_transport.kv_hop_has_a_transport,
    kv_transport.kv_transport_proven,
    kv_setup.kv_transport_devices,
    kv_setup.kv_transport_privileges,
    kv_transport.kv_transport_placement,
    kv_setup.kv_transport_settings,
    services.service_reaches_pods,
)
