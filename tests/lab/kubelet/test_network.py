"""Addresses of the lab's pods."""

import ipaddress
from pathlib import Path

from lab.kubelet import network

RANGE = "127.70.0.0/17"


def test_a_kubelet_that_starts_again_gives_no_pod_s_address_away_and_none_of_a_service_s(
    tmp_path: Path,
) -> None:
    before = network.PodAddresses(RANGE, tmp_path / "addresses")
    runs = [before.of("dynamo", f"pod-{number}") for number in range(300)]
    after = network.PodAddresses(RANGE, tmp_path / "addresses")
    others = [after.of("dynamo", "another"), *(after.of("dynamo", f"pod-{number}") for number in range(300))]
    assert others[1:] == runs
    assert len(set(others)) == 301
    assert not any(ipaddress.ip_address(each) in ipaddress.ip_network(RANGE) for each in others)
