"""Rules about updates and about taking a deployment down."""

from rules.lifecycle import (
    compute_domain_depends_on_driver,
    config_names_unique,
    engine_files_roll_pods,
    graph_deleted_in_background,
    graph_depends_on_definition,
    graph_depends_on_filled_cache,
    graph_depends_on_operator,
    graph_is_awaited,
    names_fixed,
    other_waits_have_timeouts,
    outlived_by_token_and_cache,
    rollout_annotated_on_the_pod,
    state_retained,
    stateful_things_protected,
    waits_have_timeouts,
)
from rules.model import Rule

RULES: tuple[Rule, ...] = (
    graph_depends_on_operator.RULE,
    graph_depends_on_definition.RULE,
    compute_domain_depends_on_driver.RULE,
    graph_depends_on_filled_cache.RULE,
    outlived_by_token_and_cache.RULE,
    graph_deleted_in_background.RULE,
    stateful_things_protected.RULE,
    state_retained.RULE,
    waits_have_timeouts.RULE,
    other_waits_have_timeouts.RULE,
    graph_is_awaited.RULE,
    config_names_unique.RULE,
    engine_files_roll_pods.RULE,
    rollout_annotated_on_the_pod.RULE,
    names_fixed.RULE,
)
