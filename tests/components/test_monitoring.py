"""Prometheus and Grafana beside a graph: what they read, who comes first, and what nobody is told."""

from typing import Any

from resource_graph import ResourceGraph
from rules.catalogue import rules_on, run_rules
from tests.components.recorded import RELEASE, only, recorded_eks
from tests.rules.judging import TODAY


def recorded(*, monitoring: bool = True) -> ResourceGraph:
    return recorded_eks(cluster={"monitoring": monitoring})


def values(graph: ResourceGraph, name: str) -> Any:
    return only(graph, RELEASE, name).inputs["values"]


def test_what_makes_monitors_comes_after_the_kinds_of_monitors() -> None:
    graph = recorded()
    makers = [only(graph, RELEASE, name) for name in ("gpu-operator", "dynamo-platform")]
    makers += [only(graph, "PodMonitor"), only(graph, "PrometheusRule")]
    for maker in makers:
        assert graph.depends_on(maker, only(graph, RELEASE, "monitoring")), maker.name


def test_frontend_workers_and_gpus_are_scraped() -> None:
    graph = recorded()
    assert values(graph, "gpu-operator")["dcgmExporter"]["serviceMonitor"] == {"enabled": True}
    spec = values(graph, "monitoring")["prometheus"]["prometheusSpec"]
    # No monitor and no rule has the label that the chart's Prometheus looks for by default.
    for kind in ("podMonitor", "serviceMonitor", "rule"):
        assert spec[f"{kind}SelectorNilUsesHelmValues"] is False


def test_prometheus_and_grafana_are_small_keep_their_data_and_tell_nobody_their_password() -> None:
    stack = values(recorded(), "monitoring")
    spec = stack["prometheus"]["prometheusSpec"]
    assert spec["storageSpec"]["volumeClaimTemplate"]["spec"]["storageClassName"] == "gp3"
    assert spec["resources"] == {"requests": {"cpu": "250m", "memory": "1Gi"}}
    assert stack["grafana"]["resources"] == {"requests": {"cpu": "50m", "memory": "128Mi"}}
    # Not the password that everybody knows, which is the chart's default in some releases.
    assert stack["grafana"]["adminPassword"] == ""


def test_every_rule_holds_with_it() -> None:
    assert not run_rules(recorded(), rules_on(TODAY), today=TODAY).stops
