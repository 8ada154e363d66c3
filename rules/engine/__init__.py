"""Rules about the settings that an engine really runs with."""

from rules.engine import engine_file_readable
from rules.model import Rule

RULES: tuple[Rule, ...] = (engine_file_readable.RULE,)
