"""What a frontend's log says of models that it does not list."""

from failures.explanation import without_colours

# Of PyPI package ai-dynamo 1.2.1; health and readiness stay good (ai-dynamo/dynamo#11178).
REFUSED = "Error adding model from discovery"
_LONGEST = 400


def refused_model(log: str) -> str:
    """Return the last refusal of a registered model; empty where there is none."""
    lines = [line for line in without_colours(log).splitlines() if REFUSED in line]
    return " ".join(lines[-1][lines[-1].index(REFUSED) :].split())[:_LONGEST] if lines else ""
