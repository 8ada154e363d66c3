"""Rules about secrets, privileges, images and open doors."""

from rules.model import Rule

RULES: tuple[Rule, ...] = ()
