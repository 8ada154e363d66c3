"""The benchmark that a recipe's publisher measures it with, its loads, and the command line of AIPerf.

The command line is for the Job in the cluster and for a person's own machine alike.
"""

import json
from dataclasses import dataclass

from pydantic import model_validator

from recipes.strict_model import PositiveInt, StrictModel

AIPERF_VERSION = "0.13.0"
"""Of PyPI (correction K21 of gpt-oss-120b/trtllm-agg)."""
CONNECTIONS_PER_WORKER = 252


@dataclass(frozen=True, slots=True)
class Load:
    """What one call of AIPerf sends."""

    input_tokens: int
    """Tokens of each prompt."""
    output_tokens: int
    """Tokens of each answer, to the token."""
    concurrency: int
    """Requests that are open at a time."""
    requests: int
    """Requests that are measured."""
    warmup_requests: int
    dataset_entries: int
    """Different prompts."""

    @property
    def shape(self) -> str:
        """Tokens in and out, such as 8192/1024."""
        return f"{self.input_tokens}/{self.output_tokens}"


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

    def load(
        self, input_tokens: int, output_tokens: int, concurrency: int, requests: int | None = None
    ) -> Load:
        """Return a load with as many requests as it sends per concurrency, or with this number."""
        measured = concurrency * self.requests_per_concurrency if requests is None else requests
        warmup = concurrency * self.warmup_per_concurrency
        # AIPerf writes every prompt down, and never sends more different ones than requests.
        entries = min(self.dataset_entries, measured + warmup)
        return Load(input_tokens, output_tokens, concurrency, measured, warmup, entries)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What is measured, as AIPerf addresses it."""

    url: str
    served_name: str
    tokenizer: str
    """Directory of the model's tokenizer, or its repository on the Hugging Face hub."""
    tokenizer_revision: str | None = None
    """Revision of the repository; None for a directory."""
    is_dynamo: bool = True
    """Whether a frontend of Dynamo answers; an engine's own server refuses fields that it does not have."""


def aiperf_arguments(
    benchmark: Benchmark, load: Load, endpoint: Endpoint, *, sized_for_job: bool = True
) -> list[str]:
    """Return the words after the program's name, without the folder of its results.

    Args:
        benchmark: how the recipe's publisher measures.
        load: what is sent.
        endpoint: where it is sent.
        sized_for_job: with as many processes as the Job's pod has room for, and a line for each request in
            its results; else AIPerf chooses for the machine, and writes the summary alone.

    """
    revision = {"--tokenizer-revision": endpoint.tokenizer_revision} if endpoint.tokenizer_revision else {}
    sized = {"--workers-max": benchmark.workers, "--record-processors": benchmark.record_processors}
    flags: dict[str, str | int] = {
        "--model": endpoint.served_name,
        "--tokenizer": endpoint.tokenizer,
        **revision,
        "--endpoint-type": "chat",
        "--endpoint": "/v1/chat/completions",
        "--url": endpoint.url,
        "--synthetic-input-tokens-mean": load.input_tokens,
        "--synthetic-input-tokens-stddev": 0,
        "--output-tokens-mean": load.output_tokens,
        "--output-tokens-stddev": 0,
        "--concurrency": load.concurrency,
        "--request-count": load.requests,
        "--warmup-request-count": load.warmup_requests,
        "--num-dataset-entries": load.dataset_entries,
        "--random-seed": benchmark.random_seed,
        **(sized if sized_for_job else {"--export-level": "summary"}),
        "--ui": "simple",
    }
    command = ["profile", "--streaming"]
    for flag, value in flags.items():
        command += [flag, str(value)]
    for entry in _extra_inputs(load, is_dynamo=endpoint.is_dynamo):
        command += ["--extra-inputs", entry]
    return command


def _extra_inputs(load: Load, *, is_dynamo: bool) -> list[str]:
    """Return what every request carries, so that each answer has exactly the wanted length.

    AIPerf 0.13.0 sends --output-tokens-mean as max_completion_tokens. TensorRT-LLM's server takes that or
    max_tokens and answers 400 to both, as to nvext (tensorrt_llm/serve/openai_protocol.py, 54cf7be, 0076e93).
    """
    tokens = load.output_tokens
    return [
        *([f"max_tokens:{tokens}"] if is_dynamo else []),
        f"min_tokens:{tokens}",
        "ignore_eos:true",
        *([json.dumps({"nvext": {"ignore_eos": True}})] if is_dynamo else []),
        "repetition_penalty:1.0",
        "temperature:0.0",
    ]
