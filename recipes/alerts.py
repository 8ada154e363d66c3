"""What Prometheus scrapes and watches of a graph, and the dashboard that asks the same questions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Any

import yaml

from hardware import FIRST_TOKEN_SECONDS_WITHOUT_RDMA
from recipes.placed import PlacedRecipe
from recipes.pod_placement import GRAPH_NAME_LABEL
from recipes.server_manifest import server_labels

_PANEL = {"h": 8, "w": 12}
_COLUMNS = 2


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert of a graph, with the graph's own values."""

    name: str
    query: str
    limit: str
    """What the query is held against, such as `> 0`, and what has to hold beside it."""
    duration: str
    """For how long it holds before it fires, such as 5m."""
    severity: str
    summary: str
    page: str
    """The page of docs/runbook, without its ending."""


def alerts(
    placed: PlacedRecipe,
    ends: Mapping[str, str] = MappingProxyType({}),
    measured_first_token: float | None = None,
) -> tuple[Alert, ...]:
    """Return what is watched of a graph like this one.

    Args:
        placed: the graph.
        ends: Capacity Block -> the RFC 3339 time at which its window closes.
        measured_first_token: seconds of the slowest median first token that was measured of the recipe; None
            where nobody has measured it.

    """
    apart = any(service.roles == ("prefill",) for service in placed.services)
    is_vllm = placed.recipe.is_disaggregated and placed.recipe.serving_engine.backend_framework == "vllm"
    kinds = {"all", *(["disaggregated"] if apart else []), *(["vllm"] if is_vllm else [])}
    values = _values(placed) | _first_token(placed, measured_first_token)
    found = [
        row for row in _rows() if row["only"] in kinds and (values["claim"] or "$claim" not in row["query"])
    ]
    of_blocks = (alert for block, end in ends.items() for alert in _block_ends(block, end))
    return (*(_alert(row, values) for row in found), *_missing_roles(placed), *of_blocks)


def rule_groups(
    placed: PlacedRecipe, stack: str, ends: Mapping[str, str], measured_first_token: float | None = None
) -> list[dict[str, Any]]:
    """Return the groups of a PrometheusRule; `stack`: what a person types after `dynamo-stack doctor`."""
    rules = [
        {
            "alert": alert.name,
            "expr": f"{alert.query} {alert.limit}",
            "for": alert.duration,
            "labels": {"severity": alert.severity, "namespace": placed.namespace},
            "annotations": {
                "summary": alert.summary,
                "description": f"dynamo-stack doctor {stack}",
                "runbook": f"docs/runbook/{alert.page}.md",
            },
        }
        for alert in alerts(placed, ends, measured_first_token)
    ]
    return [{"name": placed.graph_name, "rules": rules}]


def dashboard(placed: PlacedRecipe) -> dict[str, Any]:
    """Return a Grafana dashboard: what is served, and a panel for what each alert compares."""
    values = _values(placed)
    served = [
        (
            "Requests a second, by status",
            "sum by (status, error_type) (rate(dynamo_frontend_requests_total{$pods}[5m]))",
        ),
        ("Requests under way, by pod", "sum by (pod) (dynamo_component_inflight_requests{$pods})"),
    ]
    panels = [(title, Template(query).substitute(values)) for title, query in served]
    panels += [(alert.summary, alert.query) for alert in alerts(placed)]
    return {
        "title": f"Dynamo: {placed.namespace}/{placed.graph_name}",
        "uid": f"{placed.namespace}-{placed.graph_name}"[:40],
        "schemaVersion": 39,
        "time": {"from": "now-3h", "to": "now"},
        "panels": [
            {
                "id": number + 1,
                "type": "timeseries",
                "title": title,
                "gridPos": {
                    **_PANEL,
                    "x": number % _COLUMNS * _PANEL["w"],
                    "y": number // _COLUMNS * _PANEL["h"],
                },
                "targets": [{"expr": query, "refId": "A"}],
            }
            for number, (title, query) in enumerate(panels)
        ],
    }


def pod_monitor_spec(placed: PlacedRecipe) -> dict[str, Any]:
    """Return the `spec` of a PodMonitor: of a server's pods, or of those that the operator marks.

    A pod without one of the ports is read at the others.
    """
    if server := placed.recipe.engine_server:
        labels, endpoints = server_labels(placed), [{"port": "http", "path": server.metrics_path}]
    else:
        labels = {GRAPH_NAME_LABEL: placed.graph_name, "nvidia.com/metrics-enabled": "true"}
        # As the operator names the ports: the frontend's, the workers' own server, and NIXL's telemetry.
        endpoints = [{"port": port, "path": "/metrics"} for port in ("http", "system", "nixl")]
    return {"selector": {"matchLabels": labels}, "podMetricsEndpoints": endpoints}


def _missing_roles(placed: PlacedRecipe) -> Iterator[Alert]:
    for service in placed.services:
        pods = _pods(placed, f"{service.name.lower()}-")
        yield Alert(
            f"DynamoNo{service.name}",
            f'(sum(kube_pod_status_ready{{condition="true", {pods}}}) or vector(0))',
            "< 1",
            "5m",
            "critical",
            f"{service.name} of {placed.graph_name} has no pod that is ready.",
            "graph-never-ready",
        )


def _block_ends(block: str, end: str) -> Iterator[Alert]:
    """EKS drains the nodes 40 minutes before (docs/capacity-blocks.md)."""
    moment = int(datetime.fromisoformat(end).timestamp())
    for hours, severity in ((24, "warning"), (2, "critical")):
        yield Alert(
            f"DynamoCapacityBlockEndsIn{hours}h",
            f'label_replace(vector({moment}), "block", "{block}", "", "") - time()',
            f"< {hours * 3600}",
            "0m",
            severity,
            f"Capacity Block {block} ends at {end}, and its nodes go before.",
            "gpu-node-lost",
        )


def _alert(row: dict[str, str], values: dict[str, str]) -> Alert:
    query, beside, summary, limit = (
        Template(row.get(key, "")).substitute(values) for key in ("query", "beside", "summary", "limit")
    )
    if beside:
        limit += f" and on ({'pod' if 'by (pod)' in beside else ''}) {beside}"
    return Alert(row["alert"], query, limit, row["for"], row["severity"], summary, row["page"])


def _first_token(placed: PlacedRecipe, measured: float | None) -> dict[str, str]:
    """After how many seconds a first token is late, and what that means."""
    path = placed.kv_transport.path if placed.kv_transport else None
    is_tcp = path is not None and path.transport == "tcp"
    if measured is not None and not is_tcp:
        return {"first_token": f"{measured:.2f}", "slow": "later than in any measured run of this recipe"}
    seconds = path.late_first_token_seconds if path else FIRST_TOKEN_SECONDS_WITHOUT_RDMA
    over_tcp, no_transfer = "the signature of a KV cache that goes over TCP", "which no KV transfer explains"
    slow = "slower than NVIDIA's guide gives for TCP" if is_tcp else over_tcp if path else no_transfer
    return {"first_token": f"{seconds:g}", "slow": slow}


def _values(placed: PlacedRecipe) -> dict[str, str]:
    roles = {role: f"{service.name.lower()}-" for service in placed.services for role in service.roles}
    return {
        "pods": _pods(placed, ""),
        "prefill": _pods(placed, roles.get("prefill", "")),
        "decode": _pods(placed, roles.get("decode", "")),
        "namespace": placed.namespace,
        "graph": placed.graph_name,
        "model": placed.recipe.model.served_name,
        "claim": placed.cache_claim_name if placed.cache_directory is None else "",
    }


def _pods(placed: PlacedRecipe, begin: str) -> str:
    """Matchers of the graph's pods whose names go on with this."""
    return f'namespace="{placed.namespace}", pod=~"{placed.graph_name}-{begin}.*"'


@cache
def _rows() -> tuple[dict[str, str], ...]:
    return tuple(yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")))
