"""The benchmark that a recipe's publisher measures it with: AIPerf, as a Job in the cluster."""

from typing import Annotated

from pydantic import Field, model_validator

from recipes.strict_model import PositiveInt, StrictModel

Port = Annotated[int, Field(gt=0, lt=65536)]
GibQuantity = Annotated[str, Field(pattern=r"^[1-9][0-9]*Gi$")]


class LocalPorts(StrictModel):
    """Ports that the load generator opens its connections from."""

    first: Port
    last: Port


class WaitForModel(StrictModel):
    """How long the Job waits for the model before it sends the first request."""

    attempts: PositiveInt
    seconds_between: PositiveInt


class BenchmarkResources(StrictModel):
    """What the load generator asks for; too little of it measures the generator instead of the model."""

    cpu_request: PositiveInt
    memory: GibQuantity
    """Request and limit."""


class Benchmark(StrictModel):
    """Load, and how the Job that makes it runs. Token counts are the recipe's traffic."""

    job_name: str
    image: str
    packages: tuple[str, ...]
    """Python packages with their versions."""

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
    repetition_penalty: float
    temperature: float
    ui: str

    workers: PositiveInt
    """Processes that send requests."""
    record_processors: PositiveInt
    """Processes that read answers."""
    connections_per_worker: PositiveInt
    local_ports: LocalPorts
    artifacts_directory: str
    """Directory of the results, below the mount point of the model cache."""

    wait_for_model: WaitForModel
    deadline_seconds: PositiveInt
    """After this the Job has failed, whatever it is doing."""
    retries: Annotated[int, Field(ge=0)]
    resources: BenchmarkResources

    @model_validator(mode="after")
    def _has_one_concurrency(self) -> "Benchmark":
        if (self.concurrency is None) == (self.concurrency_per_gpu is None):
            raise ValueError("write either concurrency or concurrencyPerGpu")
        return self

    def requests_at_a_time(self, gpus: int) -> int:
        """Return how many requests the publisher keeps open on so many GPUs."""
        return self.concurrency or (self.concurrency_per_gpu or 0) * gpus
