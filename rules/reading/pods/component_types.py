"""What the operator calls the parts of a graph."""

from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import text_at

COMPONENT_TYPES = ("frontend", "worker", "prefill", "decode", "planner", "epp")
"""ai-dynamo/dynamo deploy/operator, ComponentDefaultsFactory and the enumeration of v1beta1."""
SUB_COMPONENT_TYPES = ("prefill", "decode")
WORKER_TYPES = frozenset({"worker", "prefill", "decode"})

SYSTEM_PORT_VARIABLE = "DYN_SYSTEM_PORT"
"""Where a worker answers probes."""
FRONTEND_PORT_VARIABLE = "DYN_HTTP_PORT"
FRONTEND_PORT_FLAG = "--http-port"


def declared_type(template: PodTemplate) -> str | None:
    """What the service or component is declared to be, its subtype aside; None where nobody says."""
    if template.shape == "service":
        return text_at(template.described_by, "componentType")
    return template.component_type
