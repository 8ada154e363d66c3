"""A graph's objects where it says what no recorded one says; the rest is in test_recordings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.lab.dynamo_operator.built import CONFIGURATION, HASH, objects
from tests.lab.fixtures.graphs import toy_graph, worker

NAME = f"toy-decode-{HASH}"


def pod(**fields: Any) -> dict[str, Any]:
    """The pod template's spec of service Decode, and its main container."""
    made = objects(toy_graph(Decode=worker("decode", "4", **fields)))
    spec: dict[str, Any] = made["Deployment", NAME]["spec"]["template"]["spec"]
    return spec


def test_metadata_of_service_and_pod_reach_deployment_pods_and_service_the_pods_before_the_services() -> None:
    extra = {"labels": {"team": "a"}, "annotations": {"note": "pod"}}
    decode = worker("decode", "4", extraPodMetadata=extra, annotations={"note": "service", "more": "b"})
    made = objects(toy_graph(Decode=decode))
    for metadata in (
        made["Deployment", NAME]["metadata"],
        made["Deployment", NAME]["spec"]["template"]["metadata"],
        made["Service", NAME]["metadata"],
    ):
        assert metadata["annotations"] == {"note": "pod", "more": "b"}
        assert metadata["labels"]["team"] == "a"


def test_with_discovery_by_etcd_pods_know_its_address_and_only_the_frontend_has_a_service() -> None:
    by_etcd = replace(CONFIGURATION, discovery_backend="etcd", nats_address="", etcd_address="etcd:2379")
    made = objects(toy_graph(), by_etcd)
    assert [name for kind, name in made if kind == "Service"] == ["toy-frontend"]
    assert not any(kind == "ServiceAccount" for kind, _ in made)
    spec = made["Deployment", NAME]["spec"]["template"]["spec"]
    variables = {each["name"]: each.get("value") for each in spec["containers"][0]["env"]}
    assert "serviceAccountName" not in spec
    assert variables["ETCD_ENDPOINTS"] == "etcd:2379"
    assert not {"NATS_SERVER", "DYN_DISCOVERY_BACKEND"} & set(variables)


@pytest.mark.parametrize("probe", ["startupProbe", "livenessProbe", "readinessProbe"])
def test_a_probe_of_ones_own_replaces_the_default_altogether(probe: str) -> None:
    own = {"exec": {"command": ["true"]}}
    spec = pod(extraPodSpec={"mainContainer": {"image": "x", probe: own}})
    assert spec["containers"][0][probe] == own


def test_pod_settings_and_further_containers_are_kept() -> None:
    helper = {"name": "helper", "image": "x"}
    built = pod(extraPodSpec={"securityContext": {"runAsUser": 0}, "containers": [helper]})
    # Any security context of one's own, even a partial one, replaces the default group.
    assert built["securityContext"] == {"runAsUser": 0}
    assert built["terminationGracePeriodSeconds"] == 60
    assert [each["name"] for each in built["containers"]] == ["main", "helper"]
