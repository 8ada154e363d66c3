"""Prometheus and Grafana beside a graph: what they read, who comes first, and what nobody is told."""

from __future__ import annotations

import datetime as dt
import functools
import json
from typing import TYPE_CHECKING, Any

import pytest

from rules.catalogue import rules_on, run_rules
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings
from tests.support.recordings import recorded_stack

if TYPE_CHECKING:
    from resource_graph import Resource, ResourceGraph

RELEASE = "kubernetes:helm.sh/v3:Release"


@functools.cache
def recorded(*, monitoring: bool = True) -> ResourceGraph:
    settings = eks_b200_settings()
    settings["cluster"]["monitoring"] = monitoring
    return recorded_stack(resolved(settings))


def release(graph: ResourceGraph, name: str) -> Resource:
    [found] = [each for each in graph.of_type(RELEASE) if each.name == name]
    return found


def values(graph: ResourceGraph, name: str) -> Any:
    return release(graph, name).inputs["values"]


@pytest.mark.parametrize("name", ["gpu-operator", "dynamo-platform"])
def test_a_resource_that_makes_monitors_comes_after_the_kinds_of_monitors(name: str) -> None:
    graph = recorded()
    assert graph.depends_on(release(graph, name), release(graph, "monitoring"))


def test_frontend_workers_and_gpus_are_scraped() -> None:
    graph = recorded()
    [monitor] = graph.kubernetes_objects("PodMonitor")
    assert graph.depends_on(monitor, release(graph, "monitoring"))
    assert values(graph, "gpu-operator")["dcgmExporter"]["serviceMonitor"] == {"enabled": True}
    spec = values(graph, "monitoring")["prometheus"]["prometheusSpec"]
    # Neither monitor has the label that the chart's Prometheus looks for by default.
    assert (spec["podMonitorSelectorNilUsesHelmValues"], spec["serviceMonitorSelectorNilUsesHelmValues"]) == (
        False,
        False,
    )


def test_prometheus_has_rules_and_grafana_a_dashboard_of_the_graph() -> None:
    graph = recorded()
    [rules] = graph.kubernetes_objects("PrometheusRule")
    assert graph.depends_on(rules, release(graph, "monitoring"))
    assert (
        values(graph, "monitoring")["prometheus"]["prometheusSpec"]["ruleSelectorNilUsesHelmValues"] is False
    )
    [dashboard] = [
        each
        for each in graph.kubernetes_objects("ConfigMap")
        if each.inputs["metadata"].get("labels", {}).get("grafana_dashboard") == "1"
    ]
    [text] = dashboard.inputs["data"].values()
    [group] = rules.inputs["spec"]["groups"]
    asked = [panel["targets"][0]["expr"] for panel in json.loads(text)["panels"]]
    assert all(any(rule["expr"].startswith(query) for query in asked) for rule in group["rules"])


def test_a_scraped_graph_lets_prometheus_in() -> None:
    def ports(graph: ResourceGraph) -> set[Any]:
        policies = graph.kubernetes_objects("NetworkPolicy")
        specs: list[Any] = [each.inputs["spec"] for each in policies]
        ingress = [rule for spec in specs for rule in spec.get("ingress", [])]
        return {port["port"] for rule in ingress for port in rule.get("ports", [])}

    assert ports(recorded()) > ports(recorded(monitoring=False))


def test_prometheus_and_grafana_are_small_and_keep_their_data_on_the_cluster_s_disks() -> None:
    stack = values(recorded(), "monitoring")
    spec = stack["prometheus"]["prometheusSpec"]
    assert spec["storageSpec"]["volumeClaimTemplate"]["spec"]["storageClassName"] == "gp3"
    assert spec["resources"] == {"requests": {"cpu": "250m", "memory": "1Gi"}}
    assert stack["grafana"]["resources"] == {"requests": {"cpu": "50m", "memory": "128Mi"}}


def test_the_password_of_grafana_is_known_to_the_cluster_alone() -> None:
    # Not the password that everybody knows, which is the chart's default in some releases.
    assert values(recorded(), "monitoring")["grafana"]["adminPassword"] == ""


def test_without_it_nothing_asks_for_monitors() -> None:
    graph = recorded(monitoring=False)
    assert graph.kubernetes_objects("PodMonitor") == ()
    assert graph.kubernetes_objects("PrometheusRule") == ()
    assert values(graph, "gpu-operator")["dcgmExporter"]["serviceMonitor"] == {"enabled": False}
    assert [each.name for each in graph.of_type(RELEASE) if each.name == "monitoring"] == []


def test_every_rule_holds_with_it() -> None:
    today = dt.date(2026, 11, 21)
    report = run_rules(recorded(), rules_on(today), today=today)
    assert not report.stops
