"""Rules about updates and about taking a deployment down."""

from rules.lifecycle import graph_depends_on_operator
from rules.model import Rule

RULES: tuple[Rule, ...] = (graph_depends_on_operator.RULE,)
