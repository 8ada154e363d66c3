"""All rules, in the order in which their findings are shown."""

from rules import (
    engine_file_readable,
    gpus_match_parallelism,
    graph_depends_on_operator,
    quantization_needs_blackwell,
    worker_fits_node,
)
from rules.model import Rule

RULES: tuple[Rule, ...] = (
    gpus_match_parallelism.RULE,
    worker_fits_node.RULE,
    quantization_needs_blackwell.RULE,
    graph_depends_on_operator.RULE,
    engine_file_readable.RULE,
)
