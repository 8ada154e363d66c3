"""From a v1alpha1 graph, which a state can have, to the v1beta1 one that is written."""

from typing import Any

import pytest

from stacks.updates.comparable_graph import graph_of
from tests.stacks.updates.changes import alpha_state, update
from tests.support.dev_settings import (
    agg_gb200_settings,
    disagg_b200_settings,
    disagg_gb200_settings,
    resolved,
)


@pytest.mark.parametrize("settings", [disagg_gb200_settings(), agg_gb200_settings()])
def test_both_versions_are_read_as_the_same_pods(settings: dict[str, Any]) -> None:
    [alpha] = alpha_state(settings).graphs
    beta = graph_of(resolved(settings))
    assert (alpha.api, beta.api) == ("v1alpha1", "v1beta1")
    assert alpha.services == beta.services


def test_a_v1alpha1_graph_is_made_anew_under_its_name() -> None:
    """The API server refuses to apply one version over the fields that were applied at the other."""
    settings = disagg_b200_settings()
    change = update(alpha_state(settings), settings)
    assert change.update.replacement is not None
    assert change.update.replacement.in_place
    assert change.text == (
        "another graph: gpt-oss-disagg is deleted, then gpt-oss-disagg is created: "
        "it cannot be changed from v1alpha1 to v1beta1\n"
        "  interruption: nothing serves from the moment the old graph ends until the new one has loaded "
        "65.2 GB, about 31 min at 36 MB/s"
    )
    assert change.update.notices[0].warns
