"""What every guard has: inputs that lead it to the cluster, and a life in which nothing is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.guard import GuardProvider, guarded_cluster

if TYPE_CHECKING:
    import pytest


def test_a_guard_asks_the_cluster_of_its_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    own = guarded_cluster({"context": "eks", "kubeconfig": "apiVersion: v1"})
    assert (own.context, own.kubeconfig, own.content) == ("eks", None, "apiVersion: v1")
    # kubectl does not know whose home that is.
    assert guarded_cluster({"context": "c", "kubeconfigFile": "~/kube"}).kubeconfig == "/home/me/kube"


def test_only_other_inputs_change_a_guard() -> None:
    guard = GuardProvider()
    assert not guard.diff("", {"context": "a"}, {"context": "a"}).changes
    assert guard.diff("", {"context": "a"}, {"context": "b"}).changes
    assert guard.update("", {"context": "a"}, {"context": "b"}).outs == {"context": "b"}
