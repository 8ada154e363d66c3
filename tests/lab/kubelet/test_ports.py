"""A port that the lab's pods need and somebody has."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from lab.errors import LabError
from lab.kubelet import ports
from lab.kubelet.ports import demand_ports

if TYPE_CHECKING:
    from collections.abc import Iterator

EVERYWHERE = "0.0.0.0"  # noqa: S104 - the case


@pytest.fixture
def taken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A port of the kernel's choice at which this process listens at the parameter's address."""
    family = socket.AF_INET6 if ":" in request.param else socket.AF_INET
    with socket.socket(family) as listener:
        listener.bind((request.param, 0))
        listener.listen()
        port = listener.getsockname()[1]
        monkeypatch.setattr(ports, "PORTS", {port: "the frontend"})
        yield port


@pytest.mark.parametrize("taken", [EVERYWHERE, "::"], indirect=True)
def test_a_port_taken_on_every_address_is_refused_with_the_program_that_has_it(taken: int) -> None:
    with pytest.raises(LabError) as refused:
        demand_ports()
    assert f"the frontend of the lab's pods cannot listen at port {taken}" in str(refused.value)
    assert f"(process {os.getpid()})" in str(refused.value)
    assert "make lab-up PODS=simulated" in str(refused.value)


@pytest.mark.parametrize("taken", ["127.0.0.1", "127.71.128.9"], indirect=True)
def test_a_port_at_another_address_is_no_hindrance(taken: int) -> None:
    assert taken
    demand_ports()
