"""One load of a benchmark: how long prompts and answers are, and how many requests are open at a time."""

from dataclasses import dataclass

from recipes.benchmark import Benchmark
from recipes.model import Recipe


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


def recipe_load(recipe: Recipe) -> Load:
    """Return the load that the recipe is measured with."""
    traffic = recipe.traffic
    return scaled_load(
        recipe.benchmark, traffic.input_tokens, traffic.output_tokens, recipe.benchmark_concurrency
    )


def scaled_load(
    benchmark: Benchmark, input_tokens: int, output_tokens: int, concurrency: int, requests: int | None = None
) -> Load:
    """Return a load with as many requests as the benchmark sends per concurrency, or with this number."""
    measured = concurrency * benchmark.requests_per_concurrency if requests is None else requests
    warmup = concurrency * benchmark.warmup_per_concurrency
    # AIPerf writes every prompt down, and never sends more different ones than requests.
    entries = min(benchmark.dataset_entries, measured + warmup)
    return Load(input_tokens, output_tokens, concurrency, measured, warmup, entries)
