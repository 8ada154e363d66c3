"""Addresses and names of the lab's pods and Services."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from lab.kubelet import network

if TYPE_CHECKING:
    from pathlib import Path

RANGE = "127.70.0.0/17"


def test_every_pod_has_an_address_that_is_no_other_pod_s_and_none_of_a_service_s(tmp_path: Path) -> None:
    given = network.PodAddresses(RANGE, tmp_path / "addresses")
    addresses = [given.of("dynamo", f"pod-{number}") for number in range(300)]
    assert len(set(addresses)) == 300
    assert given.of("dynamo", "pod-7") == addresses[7]
    assert not any(ipaddress.ip_address(each) in ipaddress.ip_network(RANGE) for each in addresses)
    assert all(each.startswith("127.70.") for each in addresses)


def test_a_kubelet_that_starts_again_gives_no_pod_s_address_away(tmp_path: Path) -> None:
    before = network.PodAddresses(RANGE, tmp_path / "addresses")
    runs = [before.of("dynamo", name) for name in ("first", "second")]
    after = network.PodAddresses(RANGE, tmp_path / "addresses")
    assert after.of("dynamo", "third") not in runs
    assert [after.of("dynamo", name) for name in ("first", "second")] == runs


def test_the_cluster_knows_a_pod_by_another_address_which_leads_back(tmp_path: Path) -> None:
    address = network.PodAddresses(RANGE, tmp_path / "addresses").of("dynamo", "pod-7")
    assert not ipaddress.ip_address(network.cluster_address(address)).is_loopback
    assert network.loopback_address(network.cluster_address(address)) == address
