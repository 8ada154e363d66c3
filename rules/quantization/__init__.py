"""Rules about number formats, the kernels that run them, and memory."""

from rules.model import Rule
from rules.quantization import quantization_needs_blackwell

RULES: tuple[Rule, ...] = (quantization_needs_blackwell.RULE,)
