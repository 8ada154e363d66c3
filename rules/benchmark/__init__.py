"""Rules about benchmark Jobs."""

from rules.model import Rule

RULES: tuple[Rule, ...] = ()
