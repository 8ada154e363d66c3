"""Number types that options of every engine are typed with."""

from typing import Annotated, Literal

from pydantic import Field

PositiveInt = Annotated[int, Field(gt=0)]
NonNegativeInt = Annotated[int, Field(ge=0)]

KvDtype = Literal["auto", "fp8", "nvfp4"]
"""Number format of the KV cache; auto is the checkpoint's."""

WorkerRole = Literal["prefill", "decode", "worker"]
"""`worker` does both, prefill and decode."""
