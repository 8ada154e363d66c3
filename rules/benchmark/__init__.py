"""Rules about the Job that measures a deployment."""

from rules.benchmark import jobs, load
from rules.model import Rule

RULES: tuple[Rule, ...] = (
    load.benchmark_matches_deployment,
    load.benchmark_concurrency_within_engine,
    load.benchmark_lengths_fit,
    jobs.benchmark_wait_bounded,
    jobs.benchmark_off_its_target,
    jobs.benchmark_unprivileged,
    jobs.benchmark_tool_pinned,
)
