"""The pod of a component: probes, ports, environment and the merge with one's own settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from lab.dynamo_operator.pod import CannotReconcile
from tests.lab.dynamo_operator.built import CONFIGURATION, HASH, objects, pod, read
from tests.lab.fixtures.graphs import toy_graph, worker


def main(service: dict[str, Any], **options: Any) -> dict[str, Any]:
    container: dict[str, Any] = pod(service, **options)["containers"][0]
    return container


def environment(service: dict[str, Any], **options: Any) -> dict[str, str]:
    return {each["name"]: each.get("value", "") for each in main(service, **options)["env"]}


def decode(**fields: Any) -> dict[str, Any]:
    return worker("decode", "4", **fields)


def with_container(**fields: Any) -> dict[str, Any]:
    return decode(extraPodSpec={"mainContainer": {"image": "registry.example/worker:1.2.1"} | fields})


FRONTEND = toy_graph()["spec"]["services"]["Frontend"]


@pytest.mark.parametrize("role", ["prefill", "decode"])
def test_a_worker_is_probed_on_its_system_port_and_may_load_for_two_hours(role: str) -> None:
    container = main(worker(role, "1"))
    assert {port["name"]: port["containerPort"] for port in container["ports"]} == {
        "system": 9090,
        "nixl": 19090,
    }
    assert container["livenessProbe"]["httpGet"] == {"path": "/live", "port": "system"}
    assert (container["livenessProbe"]["periodSeconds"], container["livenessProbe"]["failureThreshold"]) == (
        5,
        1,
    )
    assert container["readinessProbe"]["httpGet"] == {"path": "/health", "port": "system"}
    startup = container["startupProbe"]
    assert startup["httpGet"]["path"] == "/live"
    assert startup["periodSeconds"] * startup["failureThreshold"] == 2 * 60 * 60


def test_a_worker_knows_its_graph_its_role_and_its_generation() -> None:
    variables = environment(decode())
    assert {key: variables[key] for key in variables if key.startswith("DYN_")} == {
        "DYN_NAMESPACE": "demo-toy",
        "DYN_COMPONENT": "decode",
        "DYN_PARENT_DGD_K8S_NAME": "toy",
        "DYN_PARENT_DGD_K8S_NAMESPACE": "demo",
        "DYN_NAMESPACE_WORKER_SUFFIX": HASH,
        "DYN_DISCOVERY_BACKEND": "kubernetes",
        "DYN_SYSTEM_ENABLED": "true",
        "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS": '["generate"]',
        "DYN_SYSTEM_PORT": "9090",
        "DYN_HEALTH_CHECK_ENABLED": "false",
        "DYN_FORWARDPASS_METRIC_PORT": "20380",
    }


def test_the_frontend_listens_on_8000_and_is_in_no_generation() -> None:
    container = main(FRONTEND)
    assert [(port["name"], port["containerPort"]) for port in container["ports"]] == [("http", 8000)]
    assert container["livenessProbe"]["initialDelaySeconds"] == 15
    assert container["readinessProbe"]["httpGet"] == {"path": "/health", "port": "http"}
    assert "startupProbe" not in container
    assert (container["command"], container["args"]) == (["python3"], ["-m", "dynamo.frontend"])
    variables = environment(FRONTEND)
    assert variables["DYN_HTTP_PORT"] == variables["DYNAMO_PORT"] == "8000"
    assert variables["DYN_NAMESPACE_PREFIX"] == "demo-toy"
    assert "DYN_NAMESPACE_WORKER_SUFFIX" not in variables


def test_a_type_that_the_operator_does_not_know_gets_no_probe_and_no_system_port() -> None:
    container = main({"componentType": "main", "extraPodSpec": {"mainContainer": {"image": "x"}}})
    assert not {"livenessProbe", "readinessProbe", "startupProbe", "ports"} & set(container)
    assert not any(each["name"].startswith("DYN_SYSTEM") for each in container["env"])


def test_addresses_are_given_only_where_they_are_configured() -> None:
    assert environment(decode())["NATS_SERVER"] == "nats://nats:4222"
    assert "ETCD_ENDPOINTS" not in environment(decode())
    configured = replace(CONFIGURATION, nats_address="", etcd_address="etcd:2379")
    variables = environment(decode(), configuration=configured)
    assert variables["ETCD_ENDPOINTS"] == "etcd:2379"
    assert "NATS_SERVER" not in variables


def test_discovery_by_etcd_needs_no_service_account() -> None:
    configured = replace(CONFIGURATION, discovery_backend="etcd")
    assert "serviceAccountName" not in pod(decode(), configured)
    assert "DYN_DISCOVERY_BACKEND" not in environment(decode(), configuration=configured)
    assert pod(decode())["serviceAccountName"] == "toy-k8s-service-discovery"


def test_variables_of_the_container_win_over_the_services_and_those_over_the_graphs() -> None:
    service = with_container(env=[{"name": "A", "value": "container"}])
    service["envs"] = [{"name": "A", "value": "service"}, {"name": "B", "value": "service"}]
    shared = [{"name": "B", "value": "graph"}, {"name": "C", "value": "graph"}]
    variables = environment(service, envs=shared)
    assert (variables["A"], variables["B"], variables["C"]) == ("container", "service", "graph")
    assert variables["DYN_NAMESPACE"] == "demo-toy"


def test_ones_own_command_and_ports_replace_the_defaults() -> None:
    ports = [{"name": "system", "containerPort": 9999}]
    container = main(with_container(command=["python3"], args=["-m", "x"], ports=ports))
    assert (container["command"], container["args"], container["ports"]) == (["python3"], ["-m", "x"], ports)


@pytest.mark.parametrize("probe", ["startupProbe", "livenessProbe", "readinessProbe"])
def test_a_probe_of_ones_own_replaces_the_default_altogether(probe: str) -> None:
    own = {"exec": {"command": ["true"]}}
    assert main(with_container(**{probe: own}))[probe] == own
    if probe != "startupProbe":
        assert main(decode(**{probe: own}))[probe] == own


def test_resources_become_what_kubernetes_calls_them() -> None:
    amounts = {"cpu": "8", "memory": "64Gi", "gpu": "4", "custom": {"vpc.amazonaws.com/efa": "4"}}
    claims = [{"name": "channel"}]
    container = main(decode(resources={"requests": {"cpu": "8"}, "limits": amounts, "claims": claims}))
    assert container["resources"] == {
        "requests": {"cpu": "8"},
        "limits": {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "4", "vpc.amazonaws.com/efa": "4"},
        "claims": claims,
    }


def test_another_gpu_type_is_requested_by_its_own_name() -> None:
    container = main(decode(resources={"limits": {"gpu": "1", "gpuType": "nvidia.com/mig-1g.24gb"}}))
    assert container["resources"] == {"limits": {"nvidia.com/mig-1g.24gb": "1"}}


@pytest.mark.parametrize(
    ("memory", "size"), [(None, "8Gi"), ({"size": "80Gi"}, "80Gi"), ({"disabled": True}, None)]
)
def test_shared_memory_is_8_gibibytes_unless_said_otherwise(
    memory: dict[str, Any] | None, size: str | None
) -> None:
    given = decode() if memory is None else decode(sharedMemory=memory)
    volumes = {each["name"]: each for each in pod(given).get("volumes", [])}
    mounts = {each["name"]: each["mountPath"] for each in main(given).get("volumeMounts", [])}
    if size is None:
        assert (volumes, mounts) == ({}, {})
    else:
        assert volumes["shared-memory"]["emptyDir"] == {"medium": "Memory", "sizeLimit": size}
        assert mounts["shared-memory"] == "/dev/shm"


def test_a_mounted_claim_becomes_a_volume() -> None:
    built = pod(decode(volumeMounts=[{"name": "cache", "mountPoint": "/models"}]))
    assert [volume["name"] for volume in built["volumes"]] == ["cache", "shared-memory"]
    assert built["volumes"][0]["persistentVolumeClaim"] == {"claimName": "cache"}
    assert [mount["mountPath"] for mount in built["containers"][0]["volumeMounts"]] == [
        "/models",
        "/dev/shm",
    ]


def test_mounts_of_the_container_take_the_services_away() -> None:
    service = with_container(volumeMounts=[{"name": "configs", "mountPath": "/configs"}])
    service["extraPodSpec"]["volumes"] = [{"name": "configs", "configMap": {"name": "engine"}}]
    service["volumeMounts"] = [{"name": "cache", "mountPoint": "/models"}]
    built = pod(service)
    assert [volume["name"] for volume in built["volumes"]] == ["configs", "shared-memory"]
    assert [mount["mountPath"] for mount in built["containers"][0]["volumeMounts"]] == [
        "/configs",
        "/dev/shm",
    ]


def test_a_compilation_cache_has_a_default_place_for_vllm_only() -> None:
    def mounts(framework: str) -> list[dict[str, Any]]:
        graph = read(toy_graph())
        graph["spec"]["backendFramework"] = framework
        graph["spec"]["components"][0]["compilationCache"] = {"pvcName": "cache"}
        made = objects(graph)["Deployment", f"toy-decode-{HASH}"]["spec"]["template"]["spec"]
        found: list[dict[str, Any]] = made["containers"][0]["volumeMounts"]
        return found

    assert mounts("vllm")[0] == {"name": "cache", "mountPath": "/root/.cache/vllm"}
    with pytest.raises(CannotReconcile, match="mountPath is required for backend framework trtllm"):
        mounts("trtllm")


def test_any_security_context_of_ones_own_replaces_the_default_group() -> None:
    assert pod(decode())["securityContext"] == {"fsGroup": 1000}
    own = {"runAsUser": 0}
    assert pod(decode(extraPodSpec={"securityContext": own}))["securityContext"] == own


def test_pod_settings_and_further_containers_are_kept() -> None:
    service = with_container()
    service["extraPodSpec"] |= {
        "nodeSelector": {"kubernetes.io/arch": "arm64"},
        "terminationGracePeriodSeconds": 120,
        "containers": [{"name": "helper", "image": "x"}],
    }
    built = pod(service)
    assert built["nodeSelector"] == {"kubernetes.io/arch": "arm64"}
    assert built["terminationGracePeriodSeconds"] == 120
    assert built["restartPolicy"] == "Always"
    assert [container["name"] for container in built["containers"]] == ["main", "helper"]


def test_a_secret_is_given_as_environment() -> None:
    assert main(decode(envFromSecret="token"))["envFrom"] == [{"secretRef": {"name": "token"}}]


def test_a_frontend_sidecar_is_a_whole_frontend() -> None:
    sidecar = pod(decode(frontendSidecar={"image": "frontend:1.2.1", "envFromSecret": "token"}))[
        "containers"
    ][-1]
    assert (sidecar["name"], sidecar["image"]) == ("sidecar-frontend", "frontend:1.2.1")
    assert sidecar["ports"][0]["containerPort"] == 8000
    assert sidecar["envFrom"] == [{"secretRef": {"name": "token"}}]


def test_pull_secrets_are_added_to_ones_own_once() -> None:
    service = decode(extraPodSpec={"imagePullSecrets": [{"name": "mine"}]})
    built = pod(service, pull_secrets=("mine", "found"))
    assert built["imagePullSecrets"] == [{"name": "mine"}, {"name": "found"}]
