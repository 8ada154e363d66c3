"""What happens when an engine crashes."""

import re
from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Severity
from rules.reading.commands.container_commands import command_line, script_position
from rules.reading.pods.workers import Worker
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
    """Container goes on after its engine has ended."""
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
