"""How long a worker that is told to end goes on serving the requests that it has.

Read in the PyPI package ai-dynamo 1.2.1 (dynamo/common/utils/graceful_shutdown.py, dynamo/trtllm/main.py).
The frontend needs nothing: it ends with its last answer, seen with the same package.
"""

from collections.abc import Mapping

from recipes.model import Role

TERMINATION_GRACE_SECONDS = 120
"""From SIGTERM until what is left of the pod is killed; all of the time that the runtime has."""

_SHUTDOWN_SECONDS = 30
"""For the engine's own shutdown, once its requests are gone."""
_PREFILL_TRANSFERS_SECONDS = 30
"""A prefill worker waits up to so long, before that, for decode workers that still read its KV cache."""


def draining_environment(role: Role) -> Mapping[str, str]:
    """Return the variable that gives the requests of a worker the time that its pod has.

    The runtime sleeps for so long after it has taken the worker out of the routing, idle or not, and ends
    what is not answered then. Its default is 5 s.
    """
    if role == "frontend":
        return {}
    transfers = _PREFILL_TRANSFERS_SECONDS if role == "prefill" else 0
    seconds = TERMINATION_GRACE_SECONDS - _SHUTDOWN_SECONDS - transfers
    return {"DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS": str(seconds)}
