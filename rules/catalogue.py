"""All rules, in the order in which their findings are shown."""

import datetime as dt

from rules import (
    compute_domain_claims,
    engine_file_readable,
    gpus_match_parallelism,
    graph_depends_on_operator,
    kv_transport_proven,
    one_claim_per_tray,
    quantization_needs_blackwell,
    worker_fits_node,
)
from rules.model import Rule
from rules.waivers import waiver_rule

RULES: tuple[Rule, ...] = (
    gpus_match_parallelism.RULE,
    worker_fits_node.RULE,
    quantization_needs_blackwell.RULE,
    graph_depends_on_operator.RULE,
    engine_file_readable.RULE,
    compute_domain_claims.RULE,
    one_claim_per_tray.RULE,
    kv_transport_proven.RULE,
)
"""The rules that judge a deployment, each of which can be waived."""


def rules_on(today: dt.date) -> tuple[Rule, ...]:
    """The same, and the one that judges the waivers on that day."""
    return (*RULES, waiver_rule([rule.id for rule in RULES], today))
