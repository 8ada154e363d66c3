"""What preview says of nodes that EKS exchanges for others."""

import pytest

from tests.stacks.changed_settings import BY_THE_HOUR, NEWER_CLUSTER, Change, changed, phase
from tests.stacks.updates.changes import update
from tests.support.eks_settings import eks_b200_settings

SYSTEM = "system nodes: Kubernetes 1.35 -> 1.36: exchanged one by one, each new one before an old one"


@pytest.mark.parametrize(
    ("before", "now", "texts"),
    [
        (
            BY_THE_HOUR,
            BY_THE_HOUR | NEWER_CLUSTER,
            [
                SYSTEM,
                "pool b200: Kubernetes 1.35 -> 1.36: 1 node exchanged one by one, each old one first\n"
                "  interruption: the workers of a node end with it, and load the model again on the next",
            ],
        ),
        (
            phase("empty"),
            NEWER_CLUSTER,
            [SYSTEM, "pool b200: Kubernetes 1.35 -> 1.36: it has no node, and the next ones are made so"],
        ),
        ({}, {}, []),
    ],
    ids=["nodes that run", "a pool without nodes", "the same settings"],
)
def test_a_new_version_of_kubernetes_exchanges_system_nodes_and_pools(
    before: Change, now: Change, texts: list[str]
) -> None:
    said = update(changed(eks_b200_settings(), before), changed(eks_b200_settings(), now)).texts
    assert [text for text in said if "Kubernetes" in text] == texts


def test_a_pool_that_is_emptied_takes_its_graph_with_it_and_says_so() -> None:
    before = eks_b200_settings()
    *_, text = update(before, changed(before, phase("empty"))).texts
    assert text == (
        "no graph: pool b200 is emptied: its purchase.phase is empty\n"
        "  interruption: gpt-oss-disagg is deleted, and nothing serves\n"
        "  then: purchase.phase: active, and `pulumi up` again; what nodes are made of can change with it"
    )
