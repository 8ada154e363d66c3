"""The stand-in charts of what makes GPUs usable, under the real Helm: what they make, what they refuse."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from lab.charts import CHARTS, INDEX_FILE

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.engine

NAMES = [chart.name for chart in CHARTS if chart.name != "dynamo-platform"]
FOR_EKS = {
    "gpu-operator": {
        "driver": {"enabled": False},
        "toolkit": {"enabled": False},
        "dcgmExporter": {"serviceMonitor": {"enabled": False}},
    },
    "dra-driver-nvidia-gpu": {"resources": {"gpus": {"enabled": False}}},
}


def template(sandbox: Sandbox, chart: str, values: dict[str, Any], *, check: bool = True) -> Any:
    charts = sandbox.directory.charts
    index = json.loads((charts / INDEX_FILE).read_text(encoding="utf-8"))
    (path,) = (entry["path"] for entry in index if entry["name"] == chart)
    command = ["template", chart, str(charts / path), "--namespace", "drivers", "--kube-version", "1.36.3"]
    return sandbox.run("helm", *command, "--values", "-", stdin=json.dumps(values), check=check)


def objects(sandbox: Sandbox, chart: str, **values: Any) -> dict[tuple[str, str], dict[str, Any]]:
    documents = yaml.safe_load_all(template(sandbox, chart, FOR_EKS.get(chart, {}) | values).stdout)
    return {(each["kind"], each["metadata"]["name"]): each for each in documents if each}


def test_each_chart_makes_its_main_objects(engine: Sandbox) -> None:
    made = {name: {key[1] for key in objects(engine, name)} for name in NAMES}
    assert made["gpu-operator"] == {
        *("gpu-operator", "cluster-policy", "nvidia-device-plugin-daemonset"),
        *("gpu-feature-discovery", "nvidia-dcgm-exporter"),
    }
    assert made["dra-driver-nvidia-gpu"] == {
        *("dra-driver-nvidia-gpu-controller", "dra-driver-nvidia-gpu-kubelet-plugin"),
        *("compute-domain-daemon.nvidia.com", "compute-domain-default-channel.nvidia.com"),
    }
    assert made["aws-efa-k8s-device-plugin"] == {"aws-efa-k8s-device-plugin"}
    assert made["kube-prometheus-stack"] >= {
        "kube-prometheus-stack-operator",
        "kube-prometheus-stack-grafana",
    }


def test_the_efa_plugin_runs_on_the_types_that_are_named_and_tolerates_what_is_said(engine: Sandbox) -> None:
    labels = {"keys": ["node.kubernetes.io/instance-type"], "values": ["x1.large"]}
    taint = {"key": "nvidia.com/gpu", "operator": "Exists"}
    made = objects(engine, "aws-efa-k8s-device-plugin", supportedInstanceLabels=labels, tolerations=[taint])
    pod = made["DaemonSet", "aws-efa-k8s-device-plugin"]["spec"]["template"]["spec"]
    required = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    (term,) = required["nodeSelectorTerms"]
    assert term["matchExpressions"][0]["values"] == ["x1.large"]
    assert pod["tolerations"] == [taint]


def test_a_service_monitor_is_there_unless_it_is_turned_off(engine: Sandbox) -> None:
    monitor = ("ServiceMonitor", "nvidia-dcgm-exporter")
    assert monitor not in objects(engine, "gpu-operator")
    assert monitor in objects(engine, "gpu-operator", dcgmExporter={})


def test_monitors_without_the_release_label_are_read_only_where_that_is_asked_for(engine: Sandbox) -> None:
    def selector(**values: Any) -> Any:
        made = objects(engine, "kube-prometheus-stack", **values)
        return made["Prometheus", "kube-prometheus-stack-prometheus"]["spec"]["podMonitorSelector"]

    assert selector() == {"matchLabels": {"release": "kube-prometheus-stack"}}
    every = {"prometheusSpec": {"podMonitorSelectorNilUsesHelmValues": False}}
    assert selector(prometheus=every) == {}


@pytest.mark.parametrize(
    ("chart", "values", "message"),
    [
        ("gpu-operator", {"driver": {"enable": False}}, "additional properties 'enable' not allowed"),
        ("gpu-operator", {}, "set driver.enabled to false"),
        (
            "gpu-operator",
            {**FOR_EKS["gpu-operator"], "gpuCluster": {"deployCR": True}},
            "clusterPolicy.deployCR and gpuCluster.deployCR cannot both be true",
        ),
        ("dra-driver-nvidia-gpu", {}, "needs gpuResourcesEnabledOverride=true"),
        ("aws-efa-k8s-device-plugin", {"toleration": []}, "additional properties 'toleration' not allowed"),
    ],
)
def test_values_that_cannot_work_end_the_render(
    engine: Sandbox, chart: str, values: dict[str, Any], message: str
) -> None:
    answer = template(engine, chart, values, check=False)
    assert answer.returncode != 0
    assert message in answer.stderr
