"""All rules by topic, in the order in which their findings are shown."""

import datetime as dt
from dataclasses import dataclass

from rules import cache, engine, lifecycle, quantization, security, structure, topology
from rules.model import Rule
from rules.waivers import waiver_rule


@dataclass(frozen=True, slots=True)
class Topic:
    """Rules about one side of a deployment."""

    name: str
    """Name of the package that holds the topic's rules."""
    question: str
    """Question of a person that the topic's rules answer."""
    rules: tuple[Rule, ...]


TOPICS: tuple[Topic, ...] = (
    Topic("structure", "Does the API server take it, as it was meant?", structure.RULES),
    Topic("topology", "Does every pod get the GPUs, the nodes and the fabric that it needs?", topology.RULES),
    Topic("quantization", "Do formats, kernels and memory suit the GPU?", quantization.RULES),
    Topic("engine", "Does the engine start with these settings, and do they have an effect?", engine.RULES),
    Topic("cache", "Does every pod find the model, the same revision of it?", cache.RULES),
    Topic("lifecycle", "Can it be updated and taken down again?", lifecycle.RULES),
    Topic("security", "Is anything open, privileged or readable that need not be?", security.RULES),
)

RULES: tuple[Rule, ...] = tuple(rule for topic in TOPICS for rule in topic.rules)
"""The rules that judge a deployment, each of which can be waived."""


def rules_on(today: dt.date) -> tuple[Rule, ...]:
    """All rules, and the one that judges the waivers on that day."""
    return (*RULES, waiver_rule([rule.id for rule in RULES], today))
