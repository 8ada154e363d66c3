"""The pod of a component where a graph says what no recorded one says; the rest is in test_recordings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.lab.dynamo_operator.built import CONFIGURATION, pod
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
