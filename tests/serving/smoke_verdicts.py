"""What `dynamo-stack smoke` finds of a stack that serves."""

import json

from tests.support.lab_stack import LabStack

GOOD = {
    **dict.fromkeys(("frontend", "workers", "model", "chat", "stream", "responses"), "good"),
    **dict.fromkeys(("tool-call", "reasoning-low", "reasoning-high", "first-token"), "mock"),
}
"""Check -> verdict, of a graph with separate prefill workers, all of whose engines are mocks."""


def smoke_verdicts(stack: LabStack) -> dict[str, str]:
    """Check -> verdict; a stack with anything wrong fails the test."""
    found = json.loads(stack.dynamo_stack("smoke", stack.name, "--json").stdout)
    assert found["mockEngine"] is True
    return {each["name"]: each["verdict"] for each in found["checks"]}
