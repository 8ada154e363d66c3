"""Rules about the Job that measures a deployment."""

from rules.benchmark import (
    benchmark_concurrency_within_engine,
    benchmark_lengths_fit,
    benchmark_matches_deployment,
    benchmark_off_its_target,
    benchmark_tool_pinned,
    benchmark_unprivileged,
    benchmark_wait_bounded,
)
from rules.model import Rule

RULES: tuple[Rule, ...] = (
    benchmark_matches_deployment.RULE,
    benchmark_concurrency_within_engine.RULE,
    benchmark_lengths_fit.RULE,
    benchmark_wait_bounded.RULE,
    benchmark_off_its_target.RULE,
    benchmark_unprivileged.RULE,
    benchmark_tool_pinned.RULE,
)
