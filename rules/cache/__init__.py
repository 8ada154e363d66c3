"""Rules about the volume that holds the model."""

from rules.model import Rule

RULES: tuple[Rule, ...] = ()
