"""Another recipe or API version: which graph goes first, and what clients have to be told."""

import pytest

from stacks.updates.running import Running
from tests.components.recorded import recorded
from tests.stacks.changed_settings import AGGREGATED, Change, Settings, changed, override, replicas
from tests.stacks.updates.changes import alpha_state, state, update
from tests.support.dev_settings import (
    agg_gb200_settings,
    disagg_b200_settings,
    disagg_gb200_settings,
)

LOAD = "has loaded 65.2 GB, about 31 min at 36 MB/s"
NAMED: Change = {"serving.name": "model"}
TWO_NODES = changed(disagg_b200_settings(), {"nodePools[0].nodes": 2})
BOTH_POOLS: Change = {"nodePools": disagg_b200_settings()["nodePools"] + agg_gb200_settings()["nodePools"]}


def test_on_a_full_pool_the_old_graph_goes_first() -> None:
    change = update(disagg_b200_settings(), changed(disagg_b200_settings(), AGGREGATED))
    assert change.old_first
    assert change.text == (
        "another graph: gpt-oss-disagg is deleted, then gpt-oss-agg is created: pool b200 does not hold the "
        "workers of both\n"
        f"  interruption: nothing serves from the moment the old graph ends until the new one {LOAD}\n"
        "  address: gpt-oss-disagg-frontend.gpt-oss.svc.cluster.local:8000 -> "
        "gpt-oss-agg-frontend.gpt-oss.svc.cluster.local:8000; tell the clients, or keep the old one with "
        "serving.name: gpt-oss-disagg"
    )


def test_with_room_for_both_the_new_graph_is_created_first() -> None:
    change = update(TWO_NODES, changed(TWO_NODES, AGGREGATED))
    assert change.old_first is False
    assert change.text.startswith(
        "another graph: gpt-oss-agg is created, then gpt-oss-disagg is deleted: the pools hold the workers "
        "of both\n"
        "  interruption: none for clients that have the new address when the new graph is ready"
    )


@pytest.mark.parametrize(
    ("before", "after", "old_first"),
    [
        pytest.param(
            TWO_NODES,
            changed(TWO_NODES, AGGREGATED, {"serving.resources": {"worker": {"cpu": 172}}}),
            True,
            id="workers that take the processors of a node",
        ),
        pytest.param(
            # 5 of 16 GPUs are used; two old decode workers and two prefill workers may leave no four on one
            # node.
            changed(TWO_NODES, replicas(prefill=2, decode=2)),
            changed(TWO_NODES, AGGREGATED),
            True,
            id="room only if old workers are close together",
        ),
        pytest.param(
            changed(disagg_b200_settings(), BOTH_POOLS),
            changed(agg_gb200_settings(), BOTH_POOLS),
            False,
            id="another pool",
        ),
        pytest.param(
            disagg_gb200_settings(3),
            changed(disagg_gb200_settings(3), NAMED),
            True,
            id="an NVLink domain that holds one of both",
        ),
        pytest.param(
            disagg_gb200_settings(4),
            changed(disagg_gb200_settings(4), NAMED),
            False,
            id="an NVLink domain that holds both",
        ),
        pytest.param(
            disagg_b200_settings(),
            changed(disagg_b200_settings(), override("decode", max_batch_size=512)),
            None,
            id="an option, which replaces no graph",
        ),
    ],
)
def test_a_graph_waits_for_the_end_of_the_old_one_where_it_has_no_certain_room_beside_it(
    before: Settings, after: Settings, old_first: bool | None
) -> None:
    assert update(before, after).old_first is old_first


def test_the_same_name_with_other_services_is_replaced_before_its_webhook_refuses_it() -> None:
    before = changed(TWO_NODES, NAMED)
    change = update(before, changed(before, AGGREGATED))
    assert change.text == (
        "another graph: model is deleted, then model is created: both have this name\n"
        f"  interruption: nothing serves from the moment the old graph ends until the new one {LOAD}"
    )
    assert change.update.replacement
    assert (change.update.replacement.old_first, change.update.replacement.in_place) == (True, True)


@pytest.mark.parametrize(
    ("wanted", "left"),
    [(changed(TWO_NODES, AGGREGATED), "gpt-oss-disagg"), (TWO_NODES, "gpt-oss-agg")],
    ids=["finished", "taken back"],
)
def test_an_update_that_failed_half_way_can_be_finished_or_taken_back(wanted: Settings, left: str) -> None:
    graphs = *state(TWO_NODES).graphs, *state(changed(TWO_NODES, AGGREGATED)).graphs
    change = update(Running(graphs=graphs), wanted)
    assert change.old_first is None
    assert change.texts == [f"another graph: {left} is left from an update that failed, and is deleted"]


def test_nothing_that_is_named_after_one_graph_is_the_same_resource_as_anothers() -> None:
    # What is replaced is marked for deletion; taking the change back would create what exists, and delete it.
    settings = disagg_gb200_settings()
    settings["serving"] |= {"exposure": {"kind": "internalLoadBalancer"}, "podMonitor": {}}
    stays = {each.urn for each in recorded(changed(settings, NAMED))}
    named_after_graph = [
        each for each in recorded(settings) if each.kind and "gpt-oss-disagg" in str(each.object_name)
    ]
    assert len(named_after_graph) == 8
    assert [each.urn for each in named_after_graph if each.urn in stays] == []


def test_a_v1alpha1_graph_of_another_name_goes_first() -> None:
    change = update(alpha_state(TWO_NODES), changed(TWO_NODES, NAMED))
    assert change.old_first


def test_a_v1alpha1_graph_is_made_anew_under_its_name() -> None:
    """The API server refuses to apply one version over the fields that were applied at the other."""
    settings = disagg_b200_settings()
    change = update(alpha_state(settings), settings)
    assert change.update.replacement is not None
    assert change.update.replacement.in_place
    assert change.text == (
        "another graph: gpt-oss-disagg is deleted, then gpt-oss-disagg is created: "
        "it cannot be changed from v1alpha1 to v1beta1\n"
        f"  interruption: nothing serves from the moment the old graph ends until the new one {LOAD}"
    )
    assert change.update.notices[0].warns
