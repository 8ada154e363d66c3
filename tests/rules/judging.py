"""Puts the published recipe, as it is or changed, before the rules."""

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

from resource_graph import ResourceGraph
from resource_graph.input_text import read_inputs
from resource_graph.manifests import manifest_graph
from resource_graph.recorder import record
from rules.catalogue import RULES, rules_on, run_rules
from rules.model import Report

PUBLISHED = Path(__file__).parent / "bases" / "published-disagg.yaml"
TODAY = dt.date(2026, 11, 21)
PREFILL, DECODE = "TrtllmPrefillWorker", "TrtllmDecodeWorker"

_WITHOUT_EFFECT = "    attention_dp_config: {enable_balance: true}\n"
"""Advice of the rule about engine files, which speaks of it wherever the file is judged."""

Found = tuple[str, str, str]
"""Rule, status and subject of a finding."""


def mutated(*edits: tuple[str, str]) -> str:
    """The published text with every edit made; an edit that changes nothing is a mistake of the case."""
    text = PUBLISHED.read_text(encoding="utf-8").replace(_WITHOUT_EFFECT, "")
    for old, new in edits:
        assert old in text, f"not in the published text: {old!r}"
        text = text.replace(old, new)
    return text


def in_program(
    text: str,
    *,
    instance_types: tuple[str, str] = ("p6-b200.48xlarge", "p6-b200.48xlarge"),
    depends: bool = True,
    inputs: Mapping[str, Any] | None = None,
) -> ResourceGraph:
    """The objects of the text, registered by a program that names their pools and installs the operator."""

    def program() -> None:
        register(text, instance_types=instance_types, depends=depends, inputs=inputs)

    return record(program, project="toy", stack="toy")


def register(
    text: str,
    *,
    instance_types: tuple[str, str] = ("p6-b200.48xlarge", "p6-b200.48xlarge"),
    depends: bool = True,
    inputs: Mapping[str, Any] | None = None,
    options: pulumi.ResourceOptions | None = None,
) -> None:
    """The program itself, for the recorder or for an engine; `inputs` are further ones of its component."""
    platform = kubernetes.helm.v3.Release("platform", chart="dynamo-platform", opts=_platform(options))
    placement = {
        service: {"pool": f"pool-{service}", "instanceType": instance_type, "nodes": 2}
        for service, instance_type in zip((PREFILL, DECODE), instance_types, strict=True)
    }
    edges = [platform] if depends else []
    component = pulumi.ComponentResource(
        "dynamo-stack:components:DynamoGraph",
        "graph",
        {"placement": placement, **(inputs or {})},
        pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(depends_on=edges)),
    )
    for document in yaml.load_all(text, Loader=yaml.CSafeLoader):
        _register(document, pulumi.ResourceOptions(parent=component))


def _platform(options: pulumi.ResourceOptions | None) -> pulumi.ResourceOptions | None:
    # A resource takes its provider from `provider`; only a component hands `providers` on.
    if options is None or not isinstance(options.providers, list):
        return None
    return pulumi.ResourceOptions(provider=options.providers[0])


def _register(document: dict[str, Any], options: pulumi.ResourceOptions) -> None:
    name, metadata = document["metadata"]["name"], document["metadata"]
    if document["kind"] == "ConfigMap":
        kubernetes.core.v1.ConfigMap(name, metadata=metadata, data=document["data"], opts=options)
        return
    kubernetes.apiextensions.CustomResource(
        name,
        api_version=document["apiVersion"],
        kind=document["kind"],
        metadata=metadata,
        spec=document["spec"],
        opts=options,
    )


def in_file(tmp_path: Path, text: str) -> ResourceGraph:
    """The objects of the text as anybody's file."""
    file = tmp_path / "deploy.yaml"
    file.write_text(text, encoding="utf-8")
    return manifest_graph(read_inputs([file]))


def judge(graph: ResourceGraph, today: dt.date = TODAY) -> Report:
    """What these rules, and those about waivers, say on that day."""
    waivers = rules_on(today)[len(RULES) :]
    return run_rules(graph, (*STARTING, *waivers), today=today)


def found(report: Report) -> set[Found]:
    """The findings without their messages."""
    assert not report.broken, report.broken
    return {(finding.rule.id, finding.status, finding.observation.subject) for finding in report.findings}


def messages(report: Report) -> str:
    """All messages."""
    return "\n".join(finding.observation.message for finding in report.findings)


def both(rule: str, status: str) -> frozenset[Found]:
    """The same finding for prefill and decode."""
    return frozenset({(rule, status, PREFILL), (rule, status, DECODE)})


GPUS = "gpus-match-parallelism"
FITS = "worker-fits-node"
QUANTIZATION = "moe-backend-runs"
OPERATOR = "graph-depends-on-operator"
FILE = "engine-settings-accepted"
CLAIMS = "compute-domain-claims"
TRANSPORT = "kv-transport-proven"
OF_A_WORKER = (GPUS, FITS, QUANTIZATION, FILE, CLAIMS)
"""Rules that look at each worker."""
STARTING = tuple(rule for rule in RULES if rule.id in {*OF_A_WORKER, OPERATOR, TRANSPORT})
"""The rules that the modules here are about; what all rules say is told case by case in cases/."""
