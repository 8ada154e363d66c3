"""A worker of Dynamo that ends gives its requests the time that its pod has."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.commands.start_script import DYNAMO_VLLM, TENSORRT_LLM
from rules.reading.commands.variables import variable
from rules.reading.engines.runtime_version import by_line
from rules.reading.kv_transport.disaggregation import read_role
from rules.reading.pods.workers import Worker, check_workers
from rules.reading.shapes import whole_number_at

# PyPI package ai-dynamo 1.2.1: dynamo/common/utils/graceful_shutdown.py and dynamo/trtllm/main.py.
_VARIABLE = "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS"
_SINCE = (1, 0)
_DEFAULT_SECONDS = 5.0
_PREFILL_TRANSFERS_SECONDS = 30
# What the engine's shutdown may take; nothing says how long it does.
_SHUTDOWN_SECONDS = 30

_GRACE = "terminationGracePeriodSeconds"
# ai-dynamo/dynamo deploy/operator/internal/dynamo/component_common.go, and Kubernetes' own.
_OPERATORS_GRACE, _KUBERNETES_GRACE = 60, 30


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, _check_worker)


def _check_worker(worker: Worker) -> Iterator[Observation]:
    command = next(iter(worker.commands), None)
    if command is None or command.engine not in {TENSORRT_LLM, DYNAMO_VLLM}:
        return
    waits = command.engine == TENSORRT_LLM and read_role(worker) == "prefill"
    after = _SHUTDOWN_SECONDS + (_PREFILL_TRANSFERS_SECONDS if waits else 0)
    written = whole_number_at(worker.pod, _GRACE)
    default = _KUBERNETES_GRACE if worker.template.shape == "workload" else _OPERATORS_GRACE
    grace = default if written is None else written
    seconds, source = _seconds(worker)
    if grace - after <= seconds < grace:
        return
    if not by_line(lambda line: line >= _SINCE, worker.container, worker.described_by):
        return
    pod = f"the pod has {grace} s ({_GRACE}{'' if written is not None else ', the default'})"
    if seconds >= grace:
        yield failed(
            worker.resource,
            worker.name,
            f"its requests get {seconds:g} s ({source}), but {pod}: it is killed with them",
        )
    else:
        yield failed(
            worker.resource,
            worker.name,
            f"its requests end {seconds:g} s after SIGTERM ({source}), although {pod} and what follows them "
            f"takes {after} at most",
        )


def _seconds(worker: Worker) -> tuple[float, str]:
    text = variable(worker, _VARIABLE)
    if not text:
        return _DEFAULT_SECONDS, f"the default of {_VARIABLE}"
    try:
        return max(float(text), 0.0), _VARIABLE
    except ValueError:
        # The runtime warns and takes its default.
        return _DEFAULT_SECONDS, f"the default, since {_VARIABLE} is {text!r}"


RULE = Rule(
    id="drain-covers-requests",
    title="Requests of a worker that ends get the time that its pod has",
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
    check=_check,
)
