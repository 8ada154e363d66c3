"""What a run of `dynamo-stack bench` keeps: `result.json`, one file a run."""

from typing import Literal

from operations.document import Document
from recipes.strict_model import PositiveInt

Engine = Literal["real", "mock"]
Outcome = Literal["complete", "interrupted", "failed"]

MOCK_NOTE = (
    "mock engine: no model ran, so no figure here says anything about a GPU or a model; "
    "they measure the frontend and the load generator"
)


class Percentiles(Document):
    """Milliseconds, over the requests of one load that were answered."""

    average: float
    p50: float
    p90: float
    p95: float
    p99: float


class Measurement(Document):
    """One load, measured by AIPerf."""

    shape: str
    """Tokens of each prompt and answer that were asked for, such as 8192/1024."""
    concurrency: PositiveInt
    """Requests that were open at a time."""
    requests: int
    """Requests that were answered."""
    errors: int
    """Requests refused, broken off or answered with an error."""
    first_error: str | None
    """What most of them said; null where there were none."""
    seconds: float
    """From the first measured request to the last answer."""
    input_tokens: float
    """Of a prompt, as the tokenizer counts, on average."""
    output_tokens: float
    """Of an answer, likewise."""
    requests_per_second: float
    output_tokens_per_second: float
    """Output tokens of all requests together."""
    output_tokens_per_second_per_gpu: float | None
    """The same, divided by the GPUs of all workers; null where nobody said how many, and for a mock
    engine."""
    output_tokens_per_second_per_user: float
    """Of one request after its first token, on average."""
    ttft_milliseconds: Percentiles
    """Time to the first token."""
    itl_milliseconds: Percentiles
    """Time between tokens: of each request the average, and over these the percentiles."""
    request_milliseconds: Percentiles
    """Time to the end of the answer."""


class BenchmarkResult(Document):
    """All that one run has measured, and what it measured."""

    schema_version: Literal[1]
    """Counts up with every change of the keys."""
    engine: Engine
    """`mock`: no model ran, and no figure says anything about a GPU."""
    note: str | None
    """What a reader must know before any figure."""
    target: str
    """The stack, or the address."""
    model: str
    """The name under which the model is served."""
    recipe: str | None
    """Null for an address."""
    runtime: str | None
    """Runtime image with its version; null for an address."""
    gpus: PositiveInt | None
    """GPUs of all workers together; null where nobody said."""
    accelerators: tuple[str, ...]
    """Their kinds; empty where nobody said."""
    generator: Literal["job", "here"]
    """Where AIPerf ran: as a Job, or on your machine."""
    aiperf: str
    """Version of AIPerf."""
    started: str
    """UTC."""
    ended: str
    """UTC."""
    outcome: Outcome
    """Anything but `complete`: loads that were asked for are missing."""
    reason: str | None
    """Why it is not complete."""
    measurements: tuple[Measurement, ...]

    @property
    def is_mock(self) -> bool:
        """Whether no model ran."""
        return self.engine == "mock"
