"""The way to a frontend through kubectl."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from operations.errors import CommandError
from operations.port_forward import PortForward
from tests.operations.benchmark.fake_kubectl import FakeKubectl

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeKubectl:
    return FakeKubectl(tmp_path, monkeypatch)


def test_the_address_is_the_port_that_kubectl_opened(kubectl: FakeKubectl) -> None:
    kubectl.say("forwarding", "Forwarding from 127.0.0.1:40123 -> 8000\n")
    kubectl.say("endless", "")
    with PortForward(kubectl.commands, "gpt-oss", "mine") as forward:
        assert forward.address() == "http://127.0.0.1:40123"
        assert forward.address() == "http://127.0.0.1:40123"
    [call] = kubectl.calls("port-forward")
    assert call == "port-forward --address 127.0.0.1 --namespace gpt-oss service/mine-frontend :8000"


def test_a_way_that_does_not_open_is_named_with_kubectl_s_words(kubectl: FakeKubectl) -> None:
    said = 'Error from server (NotFound): services "mine-frontend" not found'
    kubectl.say("forwarding", f"{said}\n")
    with (
        PortForward(kubectl.commands, "gpt-oss", "mine") as forward,
        pytest.raises(CommandError) as refused,
    ):
        forward.address()
    assert str(refused.value).startswith("kubectl port-forward ended after ")
    assert str(refused.value).endswith(f" s: {said}")


def test_a_kubectl_that_says_nothing_is_not_waited_for_for_ever(kubectl: FakeKubectl) -> None:
    kubectl.say("forwarding", "")
    kubectl.say("endless", "")
    with (
        PortForward(kubectl.commands, "gpt-oss", "mine", seconds=1) as forward,
        pytest.raises(CommandError, match=r"did not start within 1 s: it says nothing"),
    ):
        forward.address()
