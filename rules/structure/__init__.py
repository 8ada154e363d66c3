"""Rules about what an API server takes at all."""

from rules.model import Rule
from rules.structure import objects

RULES: tuple[Rule, ...] = (
    objects.kind_served,
    objects.fields_known,
    objects.values_accepted,
    objects.main_container_named,
)
