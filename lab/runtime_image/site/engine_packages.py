"""Answers imports of the engine's packages, which exist in its image alone, and begins workers elsewhere.

The parser of dynamo.trtllm imports TensorRT-LLM for a handful of defaults, that of dynamo.vllm imports vLLM's
own, for which vllm_options.py stands in. Each of these packages becomes an empty module whose every attribute
is another one.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

_HERE = Path(__file__).parent
_ENGINE_PACKAGES = ("tensorrt_llm", "torch", "transformers_modules", "mpi4py", "nixl", "PIL", "vllm")
_ENTRY_POINTS = {"dynamo.trtllm.__main__": "trtllm_worker.py", "dynamo.vllm.__main__": "vllm_worker.py"}
# Defaults of TensorRT-LLM's BuildConfig that the parser reads (tensorrt_llm/builder.py of 1.3).
_BUILD_CONFIG = {"max_batch_size": 2048, "max_num_tokens": 8192, "max_beam_width": 1, "max_seq_len": None}


def install() -> None:
    """Put the finder before all others, once."""
    if not any(isinstance(each, _Finder) for each in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Absent(ModuleType):
    """A module, class or value of a package that is not here."""

    def __init__(self, name: object = "absent", *_: object, **__: object) -> None:
        super().__init__(str(name))
        self.__path__ = []

    def __getattr__(self, name: str) -> _Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Absent(f"{self.__name__}.{name}")

    def __call__(self, *_: object, **__: object) -> _Absent:
        return self

    def __mro_entries__(self, _: object) -> tuple[type, ...]:
        return (object,)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name: str, *_: Any) -> importlib.machinery.ModuleSpec | None:
        if name in _ENTRY_POINTS:
            return importlib.util.spec_from_file_location(name, _HERE / _ENTRY_POINTS[name])
        if name.partition(".")[0] in _ENGINE_PACKAGES:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module: Any = _Absent(spec.name)
        if spec.name.startswith("tensorrt_llm"):
            fields = {name: SimpleNamespace(default=value) for name, value in _BUILD_CONFIG.items()}
            module.BuildConfig = SimpleNamespace(model_fields=fields)
        if spec.name in {"vllm.utils", "vllm.engine.arg_utils"}:
            import vllm_options  # noqa: PLC0415 - for processes that ask for vLLM alone

            module.FlexibleArgumentParser = vllm_options.FlexibleArgumentParser
            module.AsyncEngineArgs = vllm_options.AsyncEngineArgs
        return module

    def exec_module(self, module: ModuleType) -> None:
        pass
