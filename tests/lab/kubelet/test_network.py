"""Addresses and names of the lab's pods and Services."""

from __future__ import annotations

import ipaddress

from lab.kubelet import network

RANGE = "127.70.0.0/17"


def service(name: str, address: str) -> dict[str, object]:
    return {"metadata": {"name": name, "namespace": "dynamo"}, "spec": {"clusterIP": address}}


def test_a_pod_of_the_same_name_has_the_same_address_and_none_of_a_service_s() -> None:
    addresses = {network.pod_address(RANGE, "dynamo", f"pod-{number}") for number in range(50)}
    assert network.pod_address(RANGE, "dynamo", "pod-7") in addresses
    assert len(addresses) > 45
    assert not any(ipaddress.ip_address(each) in ipaddress.ip_network(RANGE) for each in addresses)
    assert all(each.startswith("127.70.") for each in addresses)


def test_the_cluster_knows_a_pod_by_another_address_which_leads_back() -> None:
    address = network.pod_address(RANGE, "dynamo", "pod-7")
    assert not ipaddress.ip_address(network.cluster_address(address)).is_loopback
    assert network.loopback_address(network.cluster_address(address)) == address


def test_a_service_has_every_dotted_name_and_a_headless_one_none() -> None:
    names = network.service_names([service("nats", "127.70.0.4"), service("peers", "None")])
    assert names == {
        "nats.dynamo": "127.70.0.4",
        "nats.dynamo.svc": "127.70.0.4",
        "nats.dynamo.svc.cluster.local": "127.70.0.4",
    }


def test_members_behind_a_headless_service_have_names_before_they_run() -> None:
    members = {
        "metadata": {"name": "nats", "namespace": "dynamo"},
        "spec": {"serviceName": "peers", "replicas": 2},
    }
    names = network.member_names([service("peers", "None")], [members], RANGE)
    for member in ("nats-0", "nats-1"):
        expected = network.pod_address(RANGE, "dynamo", member)
        assert names[f"{member}.peers.dynamo.svc.cluster.local"] == expected
