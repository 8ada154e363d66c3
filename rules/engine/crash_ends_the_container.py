"""A container ends when its engine does."""

import re
from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.commands.start_script import script_position
from rules.reading.pods.workers import Worker, check_workers
from rules.reading.shapes import texts_at

_PROGRAM = re.compile(r"-m\s+dynamo\.(?:trtllm|vllm|sglang)\b|\btrtllm-serve\b|\bvllm\s+serve\b")
# What comes after the engine has ended: a sleep without end, in a loop or alone.
_WAITS_FOR_EVER = re.compile(
    r"\bsleep\s+inf(?:inity)?\b|\btail\s+-[fF]\b|\bwhile\s+(?:true|:|\[\s*1\s*\])[\s;]*do\b[^}]{0,4000}?\bsleep\b",
    re.DOTALL,
)
# A single ampersand: the engine runs in the background, and others go on beside it.
_IN_BACKGROUND = re.compile(r"(?<![&>|])&(?![&>\d])")


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, _check_worker)


def _check_worker(worker: Worker) -> Iterator[Observation]:
    words = [*texts_at(worker.container, "command"), *texts_at(worker.container, "args")]
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
    yield failed(
        worker.resource,
        worker.name,
        f"goes on after its engine has ended: its start script waits with `{shown}`",
    )


RULE = Rule(
    id="crash-ends-the-container",
    title="A container ends when its engine does",
    severity=Severity.ADVISORY,
    reason=(
        "A container that waits after a crash is neither restarted nor seen: its GPUs stay taken, and "
        "without probes the pod stays ready."
    ),
    source="ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/agg/deploy.yaml at 668dd11",
    lines=EVERY_RELEASE,
    fix="Start the engine with exec, and look at `kubectl logs --previous` after a crash.",
    check=_check,
)
