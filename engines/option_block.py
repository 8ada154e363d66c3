"""What options of every engine have in common: options side by side, and how they are written out."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

PositiveInt = Annotated[int, Field(gt=0)]
NonNegativeInt = Annotated[int, Field(ge=0)]

KvDtype = Literal["auto", "fp8", "nvfp4"]
"""Number format of the KV cache; auto is the checkpoint's."""

WorkerRole = Literal["prefill", "decode", "worker"]
"""`worker` does both, prefill and decode."""


class OptionBlock(BaseModel, frozen=True):
    """Options that end up side by side in what an engine reads.

    An engine forbids unknown keys, so a key that is misspelt would stop the worker at start: here it is an
    error, and so is a key that the engine no longer has.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)
    removed: ClassVar[Mapping[str, str]] = {}
    """Key that the engine has no longer, or that is written elsewhere -> what to write instead."""

    extra: Mapping[str, Any] = Field(default_factory=dict)
    """Engine keys that this project does not model, passed through as they are."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_removed_keys(cls, data: object) -> object:
        for mapping in (data, _extra_of(data)):
            keys = cast("Mapping[str, object]", mapping) if isinstance(mapping, Mapping) else ()
            removed = [key for key in keys if key in cls.removed]
            if removed:
                raise ValueError(
                    "; ".join(f"{key} is no engine option any more: {cls.removed[key]}" for key in removed)
                )
        return data

    @model_validator(mode="after")
    def _extra_repeats_nothing(self) -> "OptionBlock":
        modelled = set(type(self).model_fields) & set(self.extra)
        if modelled:
            raise ValueError(
                f"extra repeats modelled options: {', '.join(sorted(modelled))}; write them outside of extra"
            )
        return self


class WorkerOptions(OptionBlock, frozen=True):
    """Options of a recipe's worker, of any engine."""

    @property
    @abstractmethod
    def kv_dtype(self) -> KvDtype:
        """Number format of the KV cache; auto is the checkpoint's."""

    @property
    @abstractmethod
    def hands_over(self) -> bool:
        """Whether its KV cache goes to other workers, or comes from them."""

    @abstractmethod
    def effective_max_seq_len(self, model_positions: int) -> int:
        """Tokens of prompt and answer together, for a model with that many positions."""


def written(block: OptionBlock, null_is_off: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return what was written and nothing else, so that the engine's defaults stay the engine's.

    Args:
        block: the options.
        null_is_off: keys for which absent and null differ: absent is the engine's default, null is off.

    """
    found: dict[str, Any] = {}
    for name in type(block).model_fields:
        if name == "extra" or name not in block.model_fields_set:
            continue
        value: Any = getattr(block, name)
        if value is not None or name in null_is_off:
            found[name] = _plain(value, null_is_off)
    return found | dict(block.extra)


def _plain(value: Any, null_is_off: frozenset[str]) -> Any:
    if isinstance(value, OptionBlock):
        return written(value, null_is_off)
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value


def _extra_of(data: object) -> object:
    return cast("Mapping[str, object]", data).get("extra") if isinstance(data, Mapping) else None
