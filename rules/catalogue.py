"""All rules by topic, in the order in which their findings are shown, and how a graph is put before them."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from resource_graph import ResourceGraph
from rules import quantization, structure
from rules.cache import claims, downloads, mounts
from rules.engine import (
    batches,
    components,
    engine_files,
    images,
    kv_transfer,
    options,
    probes,
    serving,
    start_commands,
)
from rules.lifecycle import deletion, order
from rules.model import Finding, Report, Waiver
from rules.reading.engines.settings import is_named, settings_behind
from rules.reading.fields import field_named
from rules.rule import Observation, Rule
from rules.security import network, pods, secrets
from rules.topology import (
    agreement,
    compute_domains,
    kv_setup,
    kv_transport,
    named_objects,
    node_room,
    node_selection,
    parallelism,
    placement,
    roles,
    services,
)
from rules.waivers import RULE_ID, active_waivers, waiver_rule

TOPICS: tuple[tuple[str, str, tuple[Rule, ...]], ...] = (
    ("Structure", "Does the API server take it, as it was meant?", structure.RULES),
    (
        "Topology",
        "Does every pod get the GPUs, the nodes and the fabric that it needs?",
        (
            parallelism.gpus_match_parallelism,
            parallelism.parallelism_divides_model,
            parallelism.gpu_resource_is_offered,
            node_room.worker_fits_node,
            node_room.workers_fit_pool,
            parallelism.tensor_parallelism_inside_nvlink_domain,
            node_selection.pod_selects_a_pool,
            placement.image_architecture_matches_node,
            parallelism.ranks_can_share_memory,
            node_room.rollout_can_proceed,
            placement.pod_affinity_can_match,
            node_room.pods_request_memory,
            named_objects.named_objects_exist,
            compute_domains.compute_domain_claims,
            compute_domains.one_compute_domain,
            compute_domains.nvlink_domain_holds_the_pods,
            roles.roles_complete,
            roles.cache_transceiver_configured,
            agreement.prefill_and_decode_agree,
            kv_transport.kv_hop_has_a_transport,
            kv_transport.kv_transport_proven,
            kv_setup.kv_transport_devices,
            kv_setup.kv_transport_privileges,
            kv_transport.kv_transport_placement,
            kv_setup.kv_transport_settings,
            services.service_reaches_pods,
        ),
    ),
    (
        "Quantization",
        "Do formats, kernels and memory suit the GPU?",
        (
            quantization.moe_backend_runs,
            quantization.vllm_moe_backend,
            quantization.quantization_override_has_effect,
            quantization.kv_cache_dtype_known,
            quantization.kv_cache_fits,
        ),
    ),
    (
        "Engine",
        "Does the engine start with these settings, and do they have an effect?",
        (
            engine_files.engine_settings_accepted,
            options.flags_exist,
            start_commands.start_command_runs,
            images.image_brings_the_engine,
            components.graph_has_a_frontend,
            images.runtime_defects_avoided,
            images.runtime_matches_platform,
            components.component_type_known,
            probes.probed_port_named,
            components.engine_ports_unique,
            serving.crash_ends_the_container,
            serving.answer_parsers,
            serving.tool_calls_recovered,
            serving.structured_output_without_draft_model,
            kv_transfer.kv_transfer_is_safe,
            kv_transfer.transfer_buffer_holds_the_prompt,
            batches.sequence_length_within_model,
            batches.cuda_graphs_cover_batches,
            serving.kv_router_knows_the_cache,
            batches.benchmark_within_engine,
        ),
    ),
    (
        "Cache",
        "Does every pod find the model, the same revision of it?",
        (
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
        ),
    ),
    (
        "Lifecycle",
        "Can it be updated and taken down again?",
        (
            order.graph_depends_on_operator,
            order.graph_depends_on_filled_cache,
            order.outlived_by_token_and_cache,
            deletion.stateful_things_protected,
            deletion.state_retained,
            order.waits_have_timeouts,
        ),
    ),
    (
        "Security",
        "Is anything open, privileged or readable that need not be?",
        (
            secrets.secrets_not_in_plain_values,
            secrets.secrets_marked_secret,
            pods.pods_run_unprivileged,
            pods.images_pinned,
            network.no_public_endpoint,
        ),
    ),
)
"""Each topic's name, the question of a person that its rules answer, and its rules."""

RULES: tuple[Rule, ...] = tuple(rule for _, _, rules in TOPICS for rule in rules)
"""The rules that judge a deployment, each of which can be waived."""


def rules_on(today: dt.date) -> tuple[Rule, ...]:
    """All rules, and the one that judges the waivers on that day."""
    return (*RULES, waiver_rule([rule.id for rule in RULES], today))


def run_rules(graph: ResourceGraph, rules: Iterable[Rule], *, today: dt.date) -> Report:
    """Every finding of every rule, in the order of the rules.

    A rule that raises is defective and reported as broken, because leaving the rule out would look like
    a pass; no waiver covers a broken rule.

    Args:
        graph: what is judged.
        rules: what it is judged by.
        today: decides which of the graph's waivers hold; rules themselves read no clock.
    """
    waivers = active_waivers(graph, today)
    findings: list[Finding] = []
    broken: dict[Rule, Exception] = {}
    not_evaluated: dict[Rule, Sequence[str]] = {}
    for rule in rules:
        missing = rule.reads & graph.lacks
        if missing:
            not_evaluated[rule] = sorted(aspect.value for aspect in missing)
            continue
        try:
            observations = tuple(rule.check(graph))
        except MemoryError:
            # The input is too large for this process, which is no defect of the rule.
            raise
        except Exception as error:
            broken[rule] = error
            continue
        findings.extend(_finding(graph, rule, observation, waivers) for observation in observations)
    return Report(tuple(findings), broken, not_evaluated)


def _finding(
    graph: ResourceGraph, rule: Rule, observation: Observation, waivers: Mapping[str, Waiver]
) -> Finding:
    has_failed = observation.status == "failed"
    message = observation.message
    settings = settings_behind(graph, observation.resource, observation.subject, message)
    unnamed = [each for each in settings if not is_named(each, message)] if has_failed else []
    if unnamed:
        observation = replace(observation, message=f"{message} ({', '.join(unnamed)})")
    if not observation.path:
        at = field_named(graph, observation.resource, observation.subject, message)
        observation = replace(observation, path=at)
    waiver = waivers.get(rule.id) if has_failed and rule.id != RULE_ID else None
    return Finding(rule, observation, waiver, settings)
