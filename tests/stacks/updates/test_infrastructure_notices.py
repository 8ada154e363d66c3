"""What a run says of nodes that are not there yet, of others in their place, and of GPUs that nobody uses."""

import pytest

from stacks.updates.notices import Notice
from stacks.updates.running import Running
from tests.stacks.changed_settings import BY_THE_HOUR, NEWER_CLUSTER, Change, Settings, changed, phase
from tests.stacks.updates.changes import update
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings

WAITING = changed(eks_b200_settings(), phase("waiting"))


def _said(settings: Settings, before: Running | None = None) -> tuple[Notice, ...]:
    return update(before or Running(), settings).update.notices


def test_every_run_says_what_idle_gpus_cost_and_what_says_so() -> None:
    [notice] = _said(eks_b200_settings())
    assert not notice.warns
    assert notice.text == (
        "pool b200: 3 of 8 GPUs idle, $37.06 an hour (https://aws.amazon.com/ec2/capacityblocks/pricing/, "
        "2026-07-01)"
    )


def test_a_version_whose_support_ends_is_warned_of_with_its_date() -> None:
    ends, _ = _said(changed(eks_b200_settings(), {"cluster.version": "1.34"}))
    assert ends.warns
    assert "Kubernetes 1.34: standard support ends 2026-12-02" in ends.text


def test_trays_of_the_larger_ultraserver_leave_the_rest_of_it_idle() -> None:
    [notice] = _said(changed(eks_gb200_settings(), {"nodePools[0].nvlinkDomainGpus": 72}))
    assert (
        "u-p6e-gb200x72, the least that is sold, $761.90 an hour: 67 of 72 GPUs idle, $708.99 an hour, "
        "16 trays outside the pool"
    ) in notice.text


def test_a_run_before_the_window_says_why_there_is_no_graph_and_when_there_will_be() -> None:
    *_, notice = _said(WAITING)
    assert not notice.warns
    assert notice.text == (
        "no graph: pool b200 has no node before its Capacity Block cr-0123456789abcdef0 opens at "
        "2027-12-01T11:30:00Z\n"
        "  then: purchase.phase: active, and `pulumi up` again; `dynamo-stack preflight dev` says when"
    )


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
    *_, notice = update(before, changed(before, phase("empty"))).update.notices
    assert notice.warns
    assert notice.text == (
        "no graph: pool b200 is emptied: its purchase.phase is empty\n"
        "  interruption: gpt-oss-disagg is deleted, and nothing serves\n"
        "  then: purchase.phase: active, and `pulumi up` again; what nodes are made of can change with it"
    )
