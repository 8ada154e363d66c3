"""One API version of graphs for a lab's whole life."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab import graph_api
from lab.directory import LabDirectory
from lab.errors import LabError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def lab(tmp_path: Path) -> LabDirectory:
    return LabDirectory(tmp_path)


def test_a_lab_stores_graphs_as_v1beta1_unless_told_otherwise(lab: LabDirectory) -> None:
    assert graph_api.settle(lab, has_cluster=False, outside={}) == "v1beta1"
    assert graph_api.settle(lab, has_cluster=False, outside={"LAB_GRAPH_API": "v1alpha1"}) == "v1alpha1"


def test_later_commands_agree_without_being_told(lab: LabDirectory) -> None:
    graph_api.settle(lab, has_cluster=False, outside={"LAB_GRAPH_API": "v1alpha1"})
    assert graph_api.settle(lab, has_cluster=True, outside={}) == "v1alpha1"
    assert graph_api.remembered(lab) == "v1alpha1"


def test_another_version_than_the_clusters_is_refused_with_what_to_do(lab: LabDirectory) -> None:
    graph_api.settle(lab, has_cluster=False, outside={})
    with pytest.raises(LabError, match="stores graphs as v1beta1; `make lab-down` first"):
        graph_api.settle(lab, has_cluster=True, outside={"LAB_GRAPH_API": "v1alpha1"})
    assert graph_api.remembered(lab) == "v1beta1"


def test_an_unknown_version_is_refused_with_the_known_ones(lab: LabDirectory) -> None:
    with pytest.raises(LabError, match="'v2' is unknown; a lab serves v1alpha1 or v1beta1"):
        graph_api.settle(lab, has_cluster=False, outside={"LAB_GRAPH_API": "v2"})
