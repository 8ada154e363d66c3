"""Each alert, evaluated by Prometheus' own promtool on series in which it fires, and on others."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from recipes.alerts import alerts, rule_groups
from tests.support.promtool import promtool
from tests.support.shipped_stacks import shipped_stack

pytestmark = [pytest.mark.lab, pytest.mark.slow]

SPLIT, VLLM = "disagg-b200-tcp", "vllm-disagg-h100"
OF_VLLM = "DynamoKvTransfersFail"
SERIES: dict[str, dict[str, dict[str, str]]] = yaml.safe_load(
    (Path(__file__).parent / "alert_series.yaml").read_text()
)
PODS = {
    "FRONTEND": "gpt-oss-disagg-frontend",
    "PREFILL": "gpt-oss-disagg-trtllmprefillworker",
    "DECODE": "gpt-oss-disagg-trtllmdecodeworker",
    "VLLM": f"{shipped_stack(VLLM).serving.graph_name}-vllmworker",
}


def _named(series: str) -> str:
    for word, pod in PODS.items():
        series = series.replace(f"{{{word}", f'{{namespace="gpt-oss",pod="{pod}-0"')
    return series


def _test(stack: str, name: str, series: dict[str, str], *, fires: bool) -> dict[str, Any]:
    [alert] = [each for each in alerts(shipped_stack(stack).serving.placed) if each.name == name]
    fired = {
        "exp_labels": {"severity": alert.severity, "namespace": "gpt-oss"},
        "exp_annotations": {
            "summary": alert.summary,
            "description": f"dynamo-stack doctor {stack}",
            "runbook": f"docs/runbook/{alert.page}.md",
        },
    }
    if "by (pod)" in alert.query:
        fired["exp_labels"]["pod"] = f"{PODS['PREFILL']}-0"
    if "persistentvolumeclaim" in alert.query:
        fired["exp_labels"]["persistentvolumeclaim"] = "model-cache"
    return {
        "interval": "1m",
        "input_series": [{"series": _named(key), "values": values} for key, values in series.items()],
        "alert_rule_test": [{"eval_time": "30m", "alertname": name, "exp_alerts": [fired] if fires else []}],
    }


@pytest.mark.parametrize("stack", [SPLIT, VLLM])
def test_each_alert_fires_on_its_fault_and_stays_silent_beside_it(tmp_path: Path, stack: str) -> None:
    names = {OF_VLLM} if stack == VLLM else SERIES.keys() - {OF_VLLM}
    tests = [
        _test(stack, name, SERIES[name][kind], fires=kind == "fires")
        for name in sorted(names)
        for kind in ("fires", "silent")
    ]
    groups = rule_groups(shipped_stack(stack).serving.placed, stack, {})
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": groups}))
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump({"rule_files": ["rules.yaml"], "tests": tests}))
    promtool(tmp_path, "check", "rules", "rules.yaml")
    promtool(tmp_path, "test", "rules", "tests.yaml")


def test_every_alert_has_its_series() -> None:
    of_split = {alert.name for alert in alerts(shipped_stack(SPLIT).serving.placed)}
    assert of_split | {OF_VLLM} == SERIES.keys()


@pytest.mark.parametrize("hours", [24, 2])
def test_the_end_of_a_block_is_told_a_day_and_two_hours_before(tmp_path: Path, hours: int) -> None:
    name = f"DynamoCapacityBlockEndsIn{hours}h"
    # Promtool's clock begins at 1970-01-01T00:00:00Z.
    end = "1970-01-03T00:00:00Z"
    groups = rule_groups(shipped_stack(SPLIT).serving.placed, SPLIT, {"cr-0123": end})
    for group in groups:
        group["rules"] = [rule for rule in group["rules"] if rule["alert"] == name]
    [rule] = groups[0]["rules"]
    assert f"Capacity Block cr-0123 ends at {end}" in rule["annotations"]["summary"]
    fired = {"exp_labels": rule["labels"] | {"block": "cr-0123"}, "exp_annotations": rule["annotations"]}
    moments = [(f"{48 - hours}h", []), (f"{(48 - hours) * 60 + 1}m", [fired])]
    tests = [
        {
            "interval": "1m",
            "input_series": [],
            "alert_rule_test": [
                {"eval_time": moment, "alertname": name, "exp_alerts": fires} for moment, fires in moments
            ],
        }
    ]
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": groups}))
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump({"rule_files": ["rules.yaml"], "tests": tests}))
    promtool(tmp_path, "test", "rules", "tests.yaml")
