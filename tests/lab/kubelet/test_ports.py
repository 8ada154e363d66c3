"""A port that the lab's pods need and somebody has."""

import os
import socket

import pytest

from lab.errors import LabError
from lab.kubelet import ports
from lab.kubelet.ports import demand_ports

EVERYWHERE = "0.0.0.0"  # noqa: S104 - the case


@pytest.mark.parametrize(("family", "address"), [(socket.AF_INET, EVERYWHERE), (socket.AF_INET6, "::")])
def test_a_port_taken_on_every_address_is_refused_with_the_program_that_has_it(
    monkeypatch: pytest.MonkeyPatch, family: socket.AddressFamily, address: str
) -> None:
    with socket.socket(family) as listener:
        listener.bind((address, 0))
        listener.listen()
        port = listener.getsockname()[1]
        monkeypatch.setattr(ports, "PORTS", {port: "the frontend"})
        with pytest.raises(LabError) as refused:
            demand_ports()
    assert f"the frontend of the lab's pods cannot listen at port {port}" in str(refused.value)
    assert f"(process {os.getpid()})" in str(refused.value)
    assert "make lab-up PODS=simulated" in str(refused.value)
