"""What Prometheus watches of a graph; `promtool` tries it in test_alerts_on_series.py."""

import re
from typing import Any

import pytest
import yaml

from lab.directory import REPOSITORY
from recipes.alerts import alerts, dashboard, rule_groups
from sizing.of_recipe import slowest_first_token
from tests.support.runbook import pages
from tests.support.shipped_stacks import shipped_stack

NAMES = sorted(file.stem.removeprefix("Pulumi.") for file in REPOSITORY.glob("Pulumi.*.yaml"))
GRAPHS = [name for name in NAMES if shipped_stack(name).platform]


@pytest.mark.parametrize("name", GRAPHS)
def test_every_alert_names_the_stack_s_own_pods_a_page_and_the_doctor(name: str) -> None:
    placed = shipped_stack(name).serving.placed
    [group] = rule_groups(placed, name, {})
    assert group["rules"]
    for rule in group["rules"]:
        assert "$" not in rule["expr"] + rule["annotations"]["summary"]
        assert rule["annotations"]["description"] == f"dynamo-stack doctor {name}"
        assert re.fullmatch(r"docs/runbook/(.+)\.md", rule["annotations"]["runbook"])[1] in pages()  # type: ignore[index]
        of_the_graph = f'namespace="{placed.namespace}"' in rule["expr"]
        assert of_the_graph or rule["alert"] == "DynamoOperatorWebhookFails"


def _names(name: str) -> set[str]:
    return {alert.name for alert in alerts(shipped_stack(name).serving.placed)}


def test_a_graph_is_watched_for_what_it_has() -> None:
    split, one_pod, aggregated = _names("disagg-b200-tcp"), _names("disagg-b200"), _names("vllm-agg-b200")
    assert "DynamoKvTransfersFail" in _names("vllm-disagg-h100") - aggregated
    assert "DynamoPrefillIdle" in split - one_pod - aggregated
    assert {"DynamoNoTrtllmPrefillWorker", "DynamoNoTrtllmDecodeWorker", "DynamoNoFrontend"} <= split
    assert "DynamoNoTrtllmWorker" in one_pod
    assert "DynamoCacheVolumeFills" in split


def test_the_dashboard_asks_what_the_alerts_compare() -> None:
    placed = shipped_stack("disagg-b200-tcp").serving.placed
    shown = dashboard(placed)
    panels: list[dict[str, Any]] = shown["panels"]
    asked = [target["expr"] for panel in panels for target in panel["targets"]]
    assert {alert.query for alert in alerts(placed)} < set(asked)
    assert len({(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}) == len(panels)
    assert yaml.safe_load(yaml.safe_dump(shown)) == shown


@pytest.mark.parametrize(
    ("name", "limit", "why"),
    [
        ("disagg-gb200", "> 1.09", "later than in any measured run of this recipe"),
        ("disagg-b200-tcp", "> 98", "slower than NVIDIA's guide gives for TCP"),
        ("vllm-disagg-h100", "> 10", "the signature of a KV cache that goes over TCP"),
        ("vllm-agg-b200", "> 10", "which no KV transfer explains"),
    ],
)
def test_a_first_token_is_late_by_what_was_measured_of_the_recipe_or_its_transport(
    name: str, limit: str, why: str
) -> None:
    stack = shipped_stack(name)
    measured = slowest_first_token(stack.serving.placed.recipe, stack.used_accelerators)
    watched = alerts(stack.serving.placed, measured_first_token=measured)
    [alert] = [each for each in watched if each.name == "DynamoFirstTokenLate"]
    assert alert.limit == limit
    assert why in alert.summary
