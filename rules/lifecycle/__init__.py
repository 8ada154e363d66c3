"""Rules about updates and about taking a deployment down."""

from rules.lifecycle import deletion, order
from rules.rule import Rule

RULES: tuple[Rule, ...] = (
    order.graph_depends_on_operator,
    order.graph_depends_on_filled_cache,
    order.outlived_by_token_and_cache,
    deletion.stateful_things_protected,
    deletion.state_retained,
    order.waits_have_timeouts,
)
