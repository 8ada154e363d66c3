"""Another recipe: which graph goes first, and what clients have to be told."""

from typing import Any

from stacks.updates.deployed import Deployed
from tests.components.recorded import recorded
from tests.stacks.updates.changes import changed, override, state, update
from tests.support.dev_settings import agg_gb200_settings, disagg_b200_settings, disagg_gb200_settings

LOAD = "has loaded 65.2 GB, about 31 min at 36 MB/s"


def _aggregated(settings: dict[str, Any]) -> None:
    settings["serving"]["recipe"] = "gpt-oss-120b/trtllm-agg"
    del settings["serving"]["kvTransport"]


def _named(settings: dict[str, Any]) -> None:
    settings["serving"]["name"] = "model"


def _with_nodes(nodes: int) -> dict[str, Any]:
    settings = disagg_b200_settings()
    settings["nodePools"][0]["nodes"] = nodes
    return settings


def test_on_a_full_pool_the_old_graph_goes_first() -> None:
    change = update(_with_nodes(1), changed(_with_nodes(1), _aggregated))
    assert change.update.replacement
    assert change.update.replacement.old_first
    assert change.text == (
        "another graph: gpt-oss-disagg is deleted, then gpt-oss-agg is created: pool b200 does not hold the "
        "workers of both\n"
        f"  interruption: nothing serves from the moment the old graph ends until the new one {LOAD}\n"
        "  address: gpt-oss-disagg-frontend.gpt-oss.svc.cluster.local:8000 -> "
        "gpt-oss-agg-frontend.gpt-oss.svc.cluster.local:8000; tell the clients, or keep the old one with "
        "serving.name: gpt-oss-disagg"
    )


def test_with_room_for_both_the_new_graph_is_created_first() -> None:
    change = update(_with_nodes(2), changed(_with_nodes(2), _aggregated))
    assert change.update.replacement
    assert not change.update.replacement.old_first
    assert change.text.startswith(
        "another graph: gpt-oss-agg is created, then gpt-oss-disagg is deleted: the pools hold the workers "
        "of both\n"
        "  interruption: none for clients that have the new address when the new graph is ready"
    )


def test_a_graph_whose_workers_take_the_processors_of_a_node_does_not_fit_beside_the_old_one() -> None:
    def hungry(settings: dict[str, Any]) -> None:
        _aggregated(settings)
        settings["serving"]["resources"] = {"worker": {"cpu": 172}}

    change = update(_with_nodes(2), changed(_with_nodes(2), hungry))
    assert change.update.replacement
    assert change.update.replacement.old_first


def test_room_that_is_there_only_if_old_workers_are_close_together_is_none() -> None:
    # 5 of 16 GPUs are used; two old decode workers and two prefill workers may leave no four on one node.
    before = _with_nodes(2)
    before["serving"]["replicas"] = {"prefill": 2, "decode": 2}
    change = update(before, changed(_with_nodes(2), _aggregated))
    assert change.update.replacement
    assert change.update.replacement.old_first


def test_a_graph_in_another_pool_never_waits_for_the_old_one() -> None:
    before = disagg_b200_settings()
    before["nodePools"] += agg_gb200_settings()["nodePools"]
    after = agg_gb200_settings()
    after["nodePools"] = before["nodePools"]
    change = update(before, after)
    assert change.update.replacement
    assert not change.update.replacement.old_first


def test_one_nvlink_domain_has_to_hold_both_disaggregated_graphs() -> None:
    before = disagg_gb200_settings(3)
    change = update(before, changed(before, _named))
    assert change.update.replacement
    assert change.update.replacement.old_first
    with_room = update(disagg_gb200_settings(4), changed(disagg_gb200_settings(4), _named))
    assert with_room.update.replacement
    assert not with_room.update.replacement.old_first


def test_the_same_name_with_other_services_is_replaced_before_its_webhook_refuses_it() -> None:
    before = changed(_with_nodes(2), _named)
    change = update(before, changed(before, _aggregated))
    assert change.text == (
        "another graph: model is deleted, then model is created: both have this name\n"
        f"  interruption: nothing serves from the moment the old graph ends until the new one {LOAD}"
    )
    assert change.update.replacement
    assert change.update.replacement.old_first
    assert change.update.replacement.in_place


def test_an_update_that_failed_half_way_can_be_finished_or_taken_back() -> None:
    before, after = state(_with_nodes(2)), changed(_with_nodes(2), _aggregated)
    both = Deployed(graphs=(*before.graphs, *state(after).graphs))
    finished = update(both, after)
    assert finished.update.replacement is None
    assert finished.texts == [
        "another graph: gpt-oss-disagg is left from an update that failed, and is deleted"
    ]
    taken_back = update(both, _with_nodes(2))
    assert taken_back.update.replacement is None
    assert taken_back.texts == [
        "another graph: gpt-oss-agg is left from an update that failed, and is deleted"
    ]


def test_nothing_that_is_named_after_one_graph_is_the_same_resource_as_anothers() -> None:
    # What is replaced is marked for deletion; taking the change back would create what exists, and delete it.
    settings = disagg_gb200_settings()
    settings["serving"] |= {"exposure": {"kind": "internalLoadBalancer"}, "podMonitor": {}}
    named = changed(settings, _named)
    one, other = recorded(settings), recorded(named)
    stays = {each.urn for each in other}
    named_after_graph = [each for each in one if each.kind and "gpt-oss-disagg" in str(each.object_name)]
    assert len(named_after_graph) == 8
    assert [each.urn for each in named_after_graph if each.urn in stays] == []


def test_clients_outside_learn_what_becomes_of_their_address() -> None:
    def exposed(**exposure: str) -> dict[str, Any]:
        return changed(_with_nodes(1), lambda settings: settings["serving"].update(exposure=exposure))

    balanced = exposed(kind="internalLoadBalancer")
    assert (
        ":8000, and another load balancer; tell the clients"
        in update(balanced, changed(balanced, _aggregated)).text
    )
    ingress = exposed(kind="ingress", className="internal", host="llm.example.com")
    assert ":8000, llm.example.com stays; tell" in update(ingress, changed(ingress, _aggregated)).text


def test_a_changed_option_replaces_no_graph() -> None:
    before = _with_nodes(1)
    option = override("decode", max_batch_size=512)
    assert update(before, changed(before, option)).update.replacement is None
