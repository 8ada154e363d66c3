"""The command line of AIPerf, for the Job in the cluster and for a person's own machine alike."""

import json
from dataclasses import dataclass

from recipes.benchmark import Benchmark
from recipes.benchmark_load import Load


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
