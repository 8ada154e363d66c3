"""In which number format a worker keeps its KV cache."""

from dataclasses import dataclass

from resource_graph import ResourceGraph
from rules.reading.engines.checkpoints import read_checkpoint
from rules.reading.engines.engines import engine_settings
from rules.reading.engines.sglang import is_sglang, read_sglang
from rules.reading.engines.tensorrt_llm import Setting, is_tensorrt_llm
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided

AUTO = "auto"

_FLAG = "--kv-cache-dtype"
_SAME = {"fp8_e4m3": "fp8", "bf16": "bfloat16"}
"""Two names of one format."""
_ATTENTION_OF_GPT_OSS = "bfloat16"


@dataclass(frozen=True, slots=True)
class KvFormat:
    """As it is written, and where."""

    text: str
    source: str

    def __str__(self) -> str:
        return f"{self.text} ({self.source})"


def read_kv_format(graph: ResourceGraph, worker: Worker) -> KvFormat | None:
    """The format that the worker is told to use; None for a worker of another engine.

    Raises:
        Undecided: it depends on something unknown.
    """
    if is_tensorrt_llm(worker):
        found = engine_settings(graph, worker).setting("kv_cache_config", "dtype", default=AUTO)
    elif is_vllm(worker):
        found = read_vllm(graph, worker).setting(_FLAG, AUTO)
    elif is_sglang(worker):
        found = read_sglang(graph, worker).setting(_FLAG, AUTO)
    else:
        return None
    return KvFormat(_text(found), found.source)


def effective_format(graph: ResourceGraph, worker: Worker, kv_format: KvFormat) -> str:
    """What the cache really holds, by one name for each format.

    Raises:
        Undecided: the checkpoint decides, and nothing tells which that is.
    """
    if kv_format.text != AUTO:
        return _SAME.get(kv_format.text, kv_format.text)
    if read_checkpoint(graph, worker).mxfp4 is None:
        raise Undecided("its checkpoint decides the format of the KV cache")
    return _ATTENTION_OF_GPT_OSS


def _text(setting: Setting) -> str:
    if not isinstance(setting.value, str):
        raise Undecided(f"the KV cache's dtype in {setting.source} is {setting.value!r}, not a text")
    return setting.value
