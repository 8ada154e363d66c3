"""The benchmark that a recipe's publisher measures it with: AIPerf, as a Job in the cluster."""

from pydantic import model_validator

from recipes.strict_model import PositiveInt, StrictModel

AIPERF_VERSION = "0.13.0"
"""Of PyPI (correction K21 of gpt-oss-120b/trtllm-agg)."""
CONNECTIONS_PER_WORKER = 252


class Benchmark(StrictModel):
    """The load. Token counts are the recipe's traffic."""

    job_name: str

    concurrency: PositiveInt | None = None
    """Requests that are open at a time on any number of GPUs: the users of a recipe for low latency."""
    concurrency_per_gpu: PositiveInt | None = None
    """Requests that are open at a time, per GPU of all workers together."""
    requests_per_concurrency: PositiveInt
    """Requests measured, as a multiple of the concurrency."""
    warmup_per_concurrency: PositiveInt
    dataset_entries: PositiveInt
    """Different prompts."""
    random_seed: int

    workers: PositiveInt
    """Processes that send requests."""
    record_processors: PositiveInt
    """Processes that read answers."""
    deadline_seconds: PositiveInt
    """After this the Job has failed, whatever it is doing."""

    @model_validator(mode="after")
    def _has_one_concurrency(self) -> "Benchmark":
        if (self.concurrency is None) == (self.concurrency_per_gpu is None):
            raise ValueError("write either concurrency or concurrencyPerGpu")
        return self

    def requests_at_a_time(self, gpus: int) -> int:
        """Return how many requests the publisher keeps open on so many GPUs."""
        return self.concurrency or (self.concurrency_per_gpu or 0) * gpus
