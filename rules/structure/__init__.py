"""Rules about what an API server takes at all."""

from rules.model import Rule
from rules.structure import fields_known, kind_served, main_container_named, values_accepted

RULES: tuple[Rule, ...] = (
    kind_served.RULE,
    fields_known.RULE,
    values_accepted.RULE,
    main_container_named.RULE,
)
