from __future__ import annotations

from lab.kubernetes_provider.pruning import pruned, with_dropped


def test_foreign_fields_are_unseen_and_managed_ones_have_their_live_value() -> None:
    live = {
        "metadata": {"name": "n", "uid": "u", "annotations": {"ours": "1", "theirs": "2"}},
        "spec": {"a": 9},
    }
    inputs = {"metadata": {"name": "n", "annotations": {"ours": "0"}}, "spec": {"a": 1}}
    assert pruned(live, inputs) == {"metadata": {"name": "n", "annotations": {"ours": "1"}}, "spec": {"a": 9}}


def test_list_entries_are_matched_by_index_and_further_ones_are_unseen() -> None:
    live = {
        "containers": [{"name": "a", "image": "x", "terminationMessagePath": "/dev"}, {"name": "injected"}]
    }
    inputs = {"containers": [{"name": "a", "image": "y"}]}
    assert pruned(live, inputs) == {"containers": [{"name": "a", "image": "x"}]}


def test_a_map_whose_managed_entries_are_gone_is_gone_and_an_empty_one_stays() -> None:
    assert pruned({"labels": {"theirs": "1"}}, {"labels": {"ours": "1"}}) == {}
    assert pruned({"emptyDir": {}}, {"emptyDir": {}}) == {"emptyDir": {}}


def test_an_empty_input_that_was_never_stored_comes_back_and_one_that_vanished_does_not() -> None:
    inputs = {"spec": {"hostNetwork": False, "mount": False, "list": [{"value": ""}]}}
    recorded = {"spec": {"mount": False, "list": [{"name": "x"}]}}
    live = pruned({"spec": {"list": [{"name": "x"}]}}, inputs)
    assert with_dropped(live, inputs, recorded) == {"spec": {"hostNetwork": False, "list": [{"value": ""}]}}
