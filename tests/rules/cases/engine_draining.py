"""What requests get when the pod that answers them ends."""

from tests.rules.case import Case, failed
from tests.rules.serving_edits import DECODE, PREFILL, WORKER, main, of_service, variable

DRAIN = "drain-covers-requests"

_WORKER = "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS"
_GRACE = "extraPodSpec.terminationGracePeriodSeconds"

CASES = (
    Case(
        DRAIN,
        "seconds that a pod has and its requests do not get",
        "disagg-b200",
        (variable(DECODE, _WORKER, "5"),),
        failed(DRAIN, DECODE),
        (
            f"its requests end 5 s after SIGTERM ({_WORKER})",
            "the pod has 120 s (terminationGracePeriodSeconds)",
            "what follows them takes 30 at most",
        ),
    ),
    Case(
        DRAIN,
        "the same seconds in a release that does not count them",
        "disagg-b200",
        (
            variable(DECODE, _WORKER, "5"),
            main(DECODE, "image", "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.9.1"),
        ),
        frozenset(),
    ),
    Case(
        DRAIN,
        "a prefill worker that waits for its decode workers besides",
        "disagg-b200",
        (variable(PREFILL, _WORKER, "59"),),
        failed(DRAIN, PREFILL),
        ("what follows them takes 60 at most",),
    ),
    Case(
        DRAIN,
        "requests that outlive their pod",
        "agg-gb200",
        (of_service(WORKER, _GRACE, 90),),
        failed(DRAIN, WORKER),
        (f"get 90 s ({_WORKER}), but the pod has 90 s", "it is killed with them"),
    ),
    Case(
        DRAIN,
        "seconds that the runtime cannot read",
        "agg-gb200",
        (variable(WORKER, _WORKER, "90s"),),
        failed(DRAIN, WORKER),
        ("end 5 s after SIGTERM (the default, since",),
    ),
    Case(
        DRAIN,
        "less time for all of it",
        "agg-gb200",
        (of_service(WORKER, _GRACE, 60), variable(WORKER, _WORKER, "45")),
        frozenset(),
    ),
)
