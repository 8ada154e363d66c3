"""`dynamo-stack size --json`."""

from operations.document import Document


class SizedLayout(Document):
    """One measured layout, and how much of it the workload takes."""

    gpu: str
    """Kind of GPU, such as B200."""
    engine: str
    """tensorrt-llm or vllm."""
    version: str
    """Of the engine that was measured; `mixed`: medians over several."""
    layout: str
    """Workers and how each is split, such as `2 prefill TP1 + 1 decode TP2`."""
    users: float
    """Requests under way at a time in one layout."""
    between: tuple[float, float] | None
    """Numbers of users that were measured, where the figures lie between them; null where they were."""
    tokens_per_second_per_gpu: float
    """Output tokens."""
    ttft_ms: float | None
    """Median time to the first token; null where nobody published it."""
    tpot_ms: float
    """Median time between tokens."""
    replicas: int
    gpus: int
    usd_per_million_output_tokens: float | None
    """Null where no price of the GPU is published."""
    recipe: str | None
    """Recipe of the catalogue that makes it; null where none does."""
    overrides: bool
    """Whether a stack overrides engine options of the recipe for it."""
    measured: str
    """Who measured it, and when."""
    run: str
    """Number of the run, where the source names one."""


class SizeDocument(Document):
    """Layouts for a workload, chosen among measured points of serving."""

    input_tokens: int
    output_tokens: int
    shape: str | None
    """Measured lengths, input/output, that the workload is; null where nobody has measured it."""
    layouts: tuple[SizedLayout, ...]
    """The best first; empty where nothing keeps the limits."""
    nearest: tuple[SizedLayout, ...]
    """What comes nearest, where there is no layout."""
