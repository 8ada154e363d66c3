"""The stand-in chart under the real Helm: what it refuses, and what it makes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from lab.charts import INDEX_FILE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.engine

NAME = "dynamo-platform"

# What the schema lets through only so that the template can say what replaced it.
REMOVED_KEYS = {
    "nats.enabled": "Use 'global.nats.install' instead",
    "etcd.enabled": "Use 'global.etcd.install' instead",
    "grove.enabled": "Use 'global.grove.install and global.grove.enabled' instead",
    "kai-scheduler.enabled": "Use 'global.kai-scheduler.install and global.kai-scheduler.enabled' instead",
    "dynamo-operator.nats.enabled": "Use 'global.nats.install' instead",
    "dynamo-operator.webhook.enabled": "'dynamo-operator.webhook.enabled' has been removed",
    "dynamo-operator.webhook.certGenerator": "'dynamo-operator.webhook.certGenerator' has been removed",
    "dynamo-operator.webhook.certificateValidity": "certificateValidity' has been removed",
    "dynamo-operator.dynamo.mpiRun.sshKeygen": "'dynamo-operator.dynamo.mpiRun.sshKeygen' has been removed",
    "dynamo-operator.dynamo.internalImages": "'dynamo-operator.dynamo.internalImages' has been removed",
    "dynamo-operator.dynamo.enableRestrictedSecurityContext": "SecurityContext' has been removed",
    "dynamo-operator.checkpoint.readyForCheckpointFilePath": "readyForCheckpointFilePath' has been removed",
}


def packaged(sandbox: Sandbox) -> Path:
    charts = sandbox.directory.charts
    entry, *_ = json.loads((charts / INDEX_FILE).read_text(encoding="utf-8"))
    return charts / entry["path"]


def template(sandbox: Sandbox, *settings: str, check: bool = True) -> Any:
    flags = [part for setting in settings for part in ("--set", setting)]
    return sandbox.run(
        "helm",
        *("template", "dynamo-platform", str(packaged(sandbox)), "--namespace", "dynamo-system", *flags),
        check=check,
    )


def objects(sandbox: Sandbox, *settings: str) -> dict[tuple[str, str], dict[str, Any]]:
    documents = yaml.safe_load_all(template(sandbox, *settings).stdout)
    return {(each["kind"], each["metadata"]["name"]): each for each in documents if each}


def test_helm_finds_no_fault_in_the_chart(engine: Sandbox) -> None:
    assert "0 chart(s) failed" in engine.run("helm", "lint", str(packaged(engine))).stdout


@pytest.mark.parametrize(("key", "message"), REMOVED_KEYS.items(), ids=REMOVED_KEYS)
def test_a_removed_key_ends_the_render_with_what_replaced_it(engine: Sandbox, key: str, message: str) -> None:
    answer = template(engine, f"{key}=true", check=False)
    assert answer.returncode != 0
    assert "BREAKING CHANGE" in answer.stderr
    assert message in answer.stderr


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            "dynamo-operator.discoveryBackend=file",
            "discoveryBackend must be 'kubernetes' (default) or 'etcd'",
        ),
        (
            "dynamo-operator.controllerManager.leaderElection.id=mine",
            "Using custom leader election ID 'mine'",
        ),
        (
            "dynamo-operator.controllerManager.leaderElection.namespace=dynamo-system",
            "same as release namespace (dynamo-system)",
        ),
        ("dynamo-operator.natsAdr=nats://x:4222", "additional properties 'natsAdr' not allowed"),
        ("global.grove.install=true", "'global.grove.install' needs the real chart"),
    ],
)
def test_a_setting_that_cannot_work_ends_the_render(engine: Sandbox, setting: str, message: str) -> None:
    answer = template(engine, setting, check=False)
    assert answer.returncode != 0
    assert message in answer.stderr


def test_the_release_has_the_objects_of_the_real_one(engine: Sandbox) -> None:
    prefix = "dynamo-platform-dynamo-operator"
    assert sorted(objects(engine)) == [
        ("ClusterRole", f"{prefix}-dgdr-profiling"),
        ("ClusterRole", f"{prefix}-epp"),
        ("ClusterRole", f"{prefix}-manager-role"),
        ("ClusterRole", f"{prefix}-planner"),
        ("ClusterRoleBinding", f"{prefix}-manager-rolebinding"),
        ("ConfigMap", f"{prefix}-config"),
        ("ConfigMap", "dynamo-platform-nats-config"),
        ("Deployment", f"{prefix}-controller-manager"),
        ("MutatingWebhookConfiguration", f"{prefix}-mutating"),
        ("PodDisruptionBudget", "dynamo-platform-nats"),
        ("Service", f"{prefix}-webhook-service"),
        ("Service", "dynamo-platform-nats"),
        ("Service", "dynamo-platform-nats-headless"),
        ("ServiceAccount", f"{prefix}-component"),
        ("ServiceAccount", f"{prefix}-controller-manager"),
        ("StatefulSet", "dynamo-platform-nats"),
        ("ValidatingWebhookConfiguration", f"{prefix}-validating"),
    ]


def test_webhooks_fail_closed_and_lead_to_the_operators_service_without_a_ca(engine: Sandbox) -> None:
    rendered = objects(engine)
    for kind, suffix in (
        ("ValidatingWebhookConfiguration", "validating"),
        ("MutatingWebhookConfiguration", "mutating"),
    ):
        for webhook in rendered[kind, f"dynamo-platform-dynamo-operator-{suffix}"]["webhooks"]:
            service = webhook["clientConfig"]["service"]
            assert (webhook["failurePolicy"], webhook["timeoutSeconds"]) == ("Fail", 10)
            assert service["name"] == "dynamo-platform-dynamo-operator-webhook-service"
            assert service["port"] == 9443
            assert "caBundle" not in webhook["clientConfig"]
            # v1beta1 reaches them converted: without an operator a v1beta1 graph meets the conversion first.
            assert [rule["apiVersions"] for rule in webhook["rules"]] == [["v1alpha1"]]


def test_a_service_monitor_is_made_wherever_any_kind_of_its_group_is_served(engine: Sandbox) -> None:
    monitor = ("ServiceMonitor", "dynamo-platform-dynamo-operator-operator")
    assert monitor not in objects(engine)
    assert monitor in objects(engine, "dynamo-operator.metricsService.enabled=true")
    served = engine.run(
        "helm",
        *("template", "dynamo-platform", str(packaged(engine)), "--api-versions", "monitoring.coreos.com/v1"),
    )
    kinds = {each["kind"] for each in yaml.safe_load_all(served.stdout) if each}
    assert {"PodMonitor", "ServiceMonitor"} <= kinds


def test_the_operator_runs_the_image_of_the_charts_version_and_applies_its_crds(engine: Sandbox) -> None:
    pod = objects(engine)["Deployment", "dynamo-platform-dynamo-operator-controller-manager"]["spec"][
        "template"
    ]["spec"]
    assert pod["containers"][0]["image"] == "nvcr.io/nvidia/ai-dynamo/kubernetes-operator:1.2.1"
    assert [container["name"] for container in pod["initContainers"]] == ["crd-apply"]
    without = objects(engine, "dynamo-operator.upgradeCRD=false")
    pod = without["Deployment", "dynamo-platform-dynamo-operator-controller-manager"]["spec"]["template"][
        "spec"
    ]
    assert "initContainers" not in pod


def test_nats_is_bundled_by_default_with_a_claim_that_names_no_class(engine: Sandbox) -> None:
    (claim,) = objects(engine)["StatefulSet", "dynamo-platform-nats"]["spec"]["volumeClaimTemplates"]
    assert claim["spec"] == {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}
    named = objects(engine, "nats.config.jetstream.fileStore.pvc.storageClassName=shared-files")
    (claim,) = named["StatefulSet", "dynamo-platform-nats"]["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["storageClassName"] == "shared-files"


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        ([], "nats://dynamo-platform-nats.dynamo-system.svc.cluster.local:4222"),
        (["global.nats.install=false"], ""),
        (["global.nats.install=false", "dynamo-operator.natsAddr=nats://mine:4222"], "nats://mine:4222"),
    ],
)
def test_the_operator_is_told_of_nats_only_where_there_is_one(
    engine: Sandbox, settings: list[str], address: str
) -> None:
    config_map = objects(engine, *settings)["ConfigMap", "dynamo-platform-dynamo-operator-config"]
    assert yaml.safe_load(config_map["data"]["config.yaml"])["infrastructure"]["natsAddress"] == address


@pytest.mark.parametrize(
    ("settings", "address", "backend"),
    [
        ([], "", "kubernetes"),
        (
            ["global.etcd.install=true"],
            "dynamo-platform-etcd.dynamo-system.svc.cluster.local:2379",
            "kubernetes",
        ),
        (
            ["dynamo-operator.etcdAddr=http://mine:2379", "dynamo-operator.discoveryBackend=etcd"],
            "http://mine:2379",
            "etcd",
        ),
    ],
)
def test_the_operator_is_told_of_etcd_and_how_components_find_each_other(
    engine: Sandbox, settings: list[str], address: str, backend: str
) -> None:
    config_map = objects(engine, *settings)["ConfigMap", "dynamo-platform-dynamo-operator-config"]
    config = yaml.safe_load(config_map["data"]["config.yaml"])
    assert config["infrastructure"]["etcdAddress"] == address
    assert config["discovery"]["backend"] == backend


def test_the_charts_monitors_miss_prefill_and_decode_pods(engine: Sandbox) -> None:
    rendered = objects(engine, "dynamo-operator.dynamo.metrics.podMonitors.enabled=true")
    selected = {
        monitor["spec"]["selector"]["matchLabels"]["nvidia.com/dynamo-component-type"]
        for (kind, _), monitor in rendered.items()
        if kind == "PodMonitor"
    }
    assert selected == {"frontend", "worker", "planner", "router"}


def test_etcd_comes_only_when_asked_for(engine: Sandbox) -> None:
    assert ("StatefulSet", "dynamo-platform-etcd") not in objects(engine)
    assert ("StatefulSet", "dynamo-platform-etcd") in objects(engine, "global.etcd.install=true")


def test_etcd_listens_on_every_address_and_tells_its_name(engine: Sandbox) -> None:
    etcd = objects(engine, "global.etcd.install=true")["StatefulSet", "dynamo-platform-etcd"]
    [container] = etcd["spec"]["template"]["spec"]["containers"]
    given = {each["name"]: each.get("value") for each in container["env"]}
    assert given["ETCD_LISTEN_CLIENT_URLS"] == "http://0.0.0.0:2379"
    name = "http://$(MY_POD_NAME).dynamo-platform-etcd-headless.dynamo-system.svc.cluster.local"
    assert given["ETCD_ADVERTISE_CLIENT_URLS"] == f"{name}:2379"


@pytest.mark.parametrize(("version", "api"), [("1.4.2", "v1alpha1"), ("1.6.2", "v1beta1")])
def test_a_later_chart_asks_the_operator_about_what_is_stored_and_brings_no_nats(
    engine: Sandbox, version: str, api: str
) -> None:
    charts = engine.directory.charts
    entries = json.loads((charts / INDEX_FILE).read_text(encoding="utf-8"))
    [path] = [each["path"] for each in entries if (each["name"], each["version"]) == (NAME, version)]
    done = engine.run("helm", "template", NAME, str(charts / path), "--namespace", "dynamo-system")
    made = {
        (each["kind"], each["metadata"]["name"]): each for each in yaml.safe_load_all(done.stdout) if each
    }
    for kind, suffix in (
        ("ValidatingWebhookConfiguration", "validating"),
        ("MutatingWebhookConfiguration", "mutating"),
    ):
        for webhook in made[kind, f"{NAME}-dynamo-operator-{suffix}"]["webhooks"]:
            assert [rule["apiVersions"] for rule in webhook["rules"]] == [[api]]
            assert api in webhook["clientConfig"]["service"]["path"]
    assert not any(kind == "StatefulSet" for kind, _ in made)
    pod = made["Deployment", f"{NAME}-dynamo-operator-controller-manager"]["spec"]["template"]["spec"]
    [crd_apply] = pod["initContainers"]
    service = f"{NAME}-dynamo-operator-webhook-service"
    assert f"--conversion-webhook-service-name={service}" in crd_apply["args"]
    assert pod["containers"][0]["image"].endswith(f":{version}")
