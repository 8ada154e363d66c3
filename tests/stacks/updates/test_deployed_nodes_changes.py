"""What preview says of nodes that EKS exchanges for others."""

from typing import Any

from tests.stacks.updates.changes import changed, state, update
from tests.support.eks_settings import eks_b200_settings

Settings = dict[str, Any]


def _newer(settings: Settings) -> None:
    settings["cluster"]["version"] = "1.36"


def _empty(settings: Settings) -> None:
    settings["nodePools"][0]["purchase"]["phase"] = "empty"


def _by_the_hour() -> Settings:
    settings = eks_b200_settings()
    settings["nodePools"][0]["purchase"] = {"kind": "onDemand"}
    return settings


def _of_nodes(texts: list[str]) -> list[str]:
    return [text for text in texts if "Kubernetes" in text]


def test_a_new_version_of_kubernetes_exchanges_system_nodes_and_pools() -> None:
    before = _by_the_hour()
    assert _of_nodes(update(before, changed(before, _newer)).texts) == [
        "system nodes: Kubernetes 1.35 -> 1.36: exchanged one by one, each new one before an old one",
        "pool b200: Kubernetes 1.35 -> 1.36: 1 node exchanged one by one, each old one first\n"
        "  interruption: the workers of a node end with it, and load the model again on the next",
    ]


def test_a_pool_without_nodes_gets_its_next_ones_in_the_new_version() -> None:
    emptied = state(changed(eks_b200_settings(), _empty))
    texts = update(emptied, changed(eks_b200_settings(), _newer)).texts
    assert _of_nodes(texts)[1:] == [
        "pool b200: Kubernetes 1.35 -> 1.36: it has no node, and the next ones are made so"
    ]


def test_the_same_settings_exchange_nothing() -> None:
    assert _of_nodes(update(eks_b200_settings(), eks_b200_settings()).texts) == []


def test_a_pool_that_is_emptied_takes_its_graph_with_it_and_says_so() -> None:
    before = eks_b200_settings()
    *_, text = update(before, changed(before, _empty)).texts
    assert text == (
        "no graph: pool b200 is emptied: its purchase.phase is empty\n"
        "  interruption: gpt-oss-disagg is deleted, and nothing serves\n"
        "  then: purchase.phase: active, and `pulumi up` again; what nodes are made of can change with it"
    )
