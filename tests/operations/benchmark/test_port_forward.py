"""The way to a frontend through kubectl."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from operations.benchmark import port_forward
from operations.benchmark.port_forward import forwarded
from operations.errors import CommandError
from tests.operations.benchmark.fake_kubectl import FakeKubectl

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeKubectl:
    return FakeKubectl(tmp_path, monkeypatch)


def test_the_address_is_the_port_that_kubectl_opened(kubectl: FakeKubectl) -> None:
    kubectl.say("forwarding", "Forwarding from 127.0.0.1:40123 -> 8000\n")
    kubectl.say("endless", "")
    with forwarded(kubectl.commands, "gpt-oss", "mine") as url:
        assert url == "http://127.0.0.1:40123"
    [call] = kubectl.calls("port-forward")
    assert call == "port-forward service/mine-frontend :8000 --namespace gpt-oss --address 127.0.0.1"


def test_a_way_that_does_not_open_is_named_with_kubectl_s_words(kubectl: FakeKubectl) -> None:
    kubectl.say("forwarding", 'Error from server (NotFound): services "mine-frontend" not found\n')
    with (
        pytest.raises(CommandError, match=r"opens no way to the frontend\n  Error from server \(NotFound\)"),
        forwarded(kubectl.commands, "gpt-oss", "mine"),
    ):
        pass


def test_a_kubectl_that_says_nothing_is_not_waited_for_for_ever(
    kubectl: FakeKubectl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port_forward, "_OPEN_SECONDS", 1)
    kubectl.say("forwarding", "")
    kubectl.say("endless", "")
    with (
        pytest.raises(CommandError, match=r"opens no way to the frontend within 1 s\n  it says nothing"),
        forwarded(kubectl.commands, "gpt-oss", "mine"),
    ):
        pass
