"""Every setting has a name that TensorRT-LLM is known to have."""

import difflib
from collections.abc import Iterable, Iterator, Mapping

from hardware import ENGINE_BLOCK_KEYS, ENGINE_KEYS, REMOVED_ENGINE_KEYS
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.commands.spelling import slip_of
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.runtime_version import by_line
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided

_LINE = (1, 2)
_SLIPS = 2
_KNOWN = frozenset(ENGINE_KEYS).union(*ENGINE_BLOCK_KEYS.values())
_RELEASE = "TensorRT-LLM around 1.3.0rc14, of Dynamo 1.2,"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, _check_worker)


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    found = list(_unlisted_keys(settings))
    if not found:
        return
    # Of another release nobody has listed the keys, but a slip of the pen is one in any.
    slips = [each for each in found if slip_of(each[0].rpartition(".")[2], _KNOWN, _SLIPS) is not None]
    if slips:
        yield from _failures(worker, slips)
        return
    if not by_line(lambda line: line == _LINE, worker.container, worker.described_by):
        keys = ", ".join(key for key, _, _ in found)
        raise Undecided(f"whether the release of its image knows {keys} is not read; {_RELEASE} does not")
    yield from _failures(worker, found)


def _failures(worker: Worker, found: Iterable[tuple[str, str, str]]) -> Iterator[Observation]:
    for key, source, hint in found:
        message = f"{key} in {source} is no setting that TensorRT-LLM around 1.3.0rc14 is known to have{hint}"
        yield failed(worker.resource, worker.name, message)


def _unlisted_keys(settings: TensorRtLlmSettings) -> Iterator[tuple[str, str, str]]:
    """Key, source and hint of each."""
    for source, written in settings.written():
        for key in written:
            if key not in ENGINE_KEYS and key not in REMOVED_ENGINE_KEYS:
                yield key, source, _home_of(key) or _nearest(key, ENGINE_KEYS)
        for block, known in ENGINE_BLOCK_KEYS.items():
            content = written.get(block)
            if not isinstance(content, Mapping):
                continue
            for key in content:
                if key not in known:
                    hint = "; it is one at the top level" if key in ENGINE_KEYS else _nearest(key, known)
                    yield f"{block}.{key}", source, hint


def _home_of(key: str) -> str:
    blocks = sorted(block for block, known in ENGINE_BLOCK_KEYS.items() if key in known)
    return f"; it is one inside {' and '.join(blocks)}" if blocks else ""


def _nearest(key: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(key, sorted(known), n=1)
    return f"; the nearest is {near[0]}" if near else ""


RULE = Rule(
    id="unlisted-engine-keys",
    title="Every setting has a name that the engine is known to have",
    severity=Severity.ADVISORY,
    reason=(
        "The engine forbids keys that it does not know, so a misspelt one ends the worker at start. The list "
        "is of a commit near release 1.3.0rc14, so another release may know a key that is missing in it."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py, in the fork Tracin/TensorRT-LLM at 21a5a51, "
        "and later keys from its list of captured settings"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Correct the spelling, move the key to its block, or make sure that the image's release has it.",
    check=_check,
)
