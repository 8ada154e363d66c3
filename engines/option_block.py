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
    """Engine keys without a name here, passed through as they are."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_removed_keys(cls, data: object) -> object:
        given = _mapping(data)
        removed = [key for key in (*given, *_mapping(given.get("extra"))) if key in cls.removed]
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


def written(block: OptionBlock) -> dict[str, Any]:
    """Return what was written and nothing else, so that the engine's defaults stay the engine's."""
    return _beside_extra(block.model_dump(mode="json", exclude_unset=True, exclude_none=True))


def _beside_extra(options: dict[str, Any]) -> dict[str, Any]:
    """Return options whose `extra` stands beside them, in each block."""
    extra = options.pop("extra", {})
    for key, value in options.items():
        if isinstance(value, dict):
            options[key] = _beside_extra(cast("dict[str, Any]", value))
    return {**options, **extra}


def _mapping(data: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", data) if isinstance(data, Mapping) else {}
