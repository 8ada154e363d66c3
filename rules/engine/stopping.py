"""What happens when an engine crashes, and when a worker is asked to end."""

import re
from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Severity
from rules.reading.commands.container_commands import DYNAMO_VLLM, TENSORRT_LLM, command_line, script_position
from rules.reading.disaggregation import read_role
from rules.reading.pods.workers import Worker
from rules.reading.releases import by_line
from rules.reading.shapes import whole_number_at
from rules.rule import rule
from rules.subjects import WORKERS

_PROGRAM = re.compile(r"-m\s+dynamo\.(?:trtllm|vllm|sglang)\b|\btrtllm-serve\b|\bvllm\s+serve\b")
# What comes after the engine has ended: a sleep without end, in a loop or alone.
_WAITS_FOR_EVER = re.compile(
    r"\bsleep\s+inf(?:inity)?\b|\btail\s+-[fF]\b|\bwhile\s+(?:true|:|\[\s*1\s*\])[\s;]*do\b[^}]{0,4000}?\bsleep\b",
    re.DOTALL,
)
# A single ampersand: the engine runs in the background, and others go on beside it.
_IN_BACKGROUND = re.compile(r"(?<![&>|])&(?![&>\d])")


@rule(
    WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "A container that waits after a crash is neither restarted nor seen: its GPUs stay taken, and "
        "without probes the pod stays ready."
    ),
    source="ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/agg/deploy.yaml at 668dd11",
    lines=EVERY_RELEASE,
    fix="Start the engine with exec, and look at `kubectl logs --previous` after a crash.",
)
def crash_ends_the_container(_: ResourceGraph, worker: Worker) -> Iterator[str]:
    """A container ends when its engine does."""
    words = command_line(worker.container)
    script_at = script_position(words)
    script = None if script_at is None else words[script_at]
    if not worker.commands or script is None:
        return
    started = list(_PROGRAM.finditer(script))
    if not started:
        return
    after = script[started[-1].end() :]
    waits = _WAITS_FOR_EVER.search(after)
    if waits is None or _IN_BACKGROUND.search(after[: waits.start()]):
        return
    shown = " ".join(waits.group().split())
    yield f"goes on after its engine has ended: its start script waits with `{shown}`"


# PyPI package ai-dynamo 1.2.1: dynamo/common/utils/graceful_shutdown.py and dynamo/trtllm/main.py.
_DRAIN_VARIABLE = "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS"
_DRAINS_SINCE = (1, 0)
_DEFAULT_SECONDS = 5.0
_PREFILL_TRANSFERS_SECONDS = 30
# What the engine's shutdown may take; nothing says how long it does.
_SHUTDOWN_SECONDS = 30

_GRACE = "terminationGracePeriodSeconds"
# ai-dynamo/dynamo deploy/operator/internal/dynamo/component_common.go, and Kubernetes' own.
_OPERATORS_GRACE, _KUBERNETES_GRACE = 60, 30


@rule(
    WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "After 5 s, its default, the runtime breaks off every answer that is left, however long the pod may "
        "still live: each update, drained node or scale-down does so to every answer that takes longer."
    ),
    source=(
        "PyPI packages ai-dynamo 0.9.1 to 1.6.1, dynamo/common/utils/graceful_shutdown.py and "
        "dynamo/trtllm/main.py; ai-dynamo/dynamo#13559"
    ),
    lines=("Dynamo 0.9 to 1.6",),
    fix=(
        "Set DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS to terminationGracePeriodSeconds less 30 s for the "
        "shutdown, less 60 s on a prefill worker of TensorRT-LLM; or lower terminationGracePeriodSeconds."
    ),
)
def drain_covers_requests(_: ResourceGraph, worker: Worker) -> Iterator[str]:
    """Requests of a worker that ends get the time that its pod has."""
    command = next(iter(worker.commands), None)
    if command is None or command.engine not in {TENSORRT_LLM, DYNAMO_VLLM}:
        return
    waits = command.engine == TENSORRT_LLM and read_role(worker) == "prefill"
    after = _SHUTDOWN_SECONDS + (_PREFILL_TRANSFERS_SECONDS if waits else 0)
    written = whole_number_at(worker.pod, _GRACE)
    default = _KUBERNETES_GRACE if worker.template.shape == "workload" else _OPERATORS_GRACE
    grace = default if written is None else written
    seconds, source = _drain_seconds(worker)
    if grace - after <= seconds < grace:
        return
    if not by_line(lambda line: line >= _DRAINS_SINCE, worker.container, worker.described_by):
        return
    pod = f"the pod has {grace} s ({_GRACE}{'' if written is not None else ', the default'})"
    if seconds >= grace:
        yield f"its requests get {seconds:g} s ({source}), but {pod}: it is killed with them"
    else:
        yield (
            f"its requests end {seconds:g} s after SIGTERM ({source}), although {pod} and what follows them "
            f"takes {after} at most"
        )


def _drain_seconds(worker: Worker) -> tuple[float, str]:
    text = worker.variable(_DRAIN_VARIABLE)
    if not text:
        return _DEFAULT_SECONDS, f"the default of {_DRAIN_VARIABLE}"
    try:
        return max(float(text), 0.0), _DRAIN_VARIABLE
    except ValueError:
        # The runtime warns and takes its default.
        return _DEFAULT_SECONDS, f"the default, since {_DRAIN_VARIABLE} is {text!r}"
