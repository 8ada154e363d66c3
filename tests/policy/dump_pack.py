"""A policy pack that finds nothing and writes down the graph that the host tells."""

import json
from pathlib import Path
from typing import Any

from pulumi_policy import (
    PolicyPack,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)

from resource_graph.policy_host import policy_graph, policy_inputs
from tests.policy.comparable import comparable_graph


def run(target: Path) -> None:
    """Serve the pack; it writes into the target at the end of each preview."""
    inputs: dict[str, Any] = {}

    def collect(args: ResourceValidationArgs, report: ReportViolation) -> None:
        inputs[args.urn] = policy_inputs(args.props)

    def write(args: StackValidationArgs, report: ReportViolation) -> None:
        told = comparable_graph(policy_graph(args.resources, inputs))
        target.write_text(json.dumps(told), encoding="utf-8")

    PolicyPack(
        "dump",
        [
            ResourceValidationPolicy("collect", "collects", collect),
            StackValidationPolicy("write", "writes", write),
        ],
    )
