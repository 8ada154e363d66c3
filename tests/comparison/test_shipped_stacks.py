"""Recordings of the shipped stacks, compared with themselves and with changes that a person would make."""

from __future__ import annotations

import copy
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from comparison.changes import Effect, Operation, ResourceChange
from comparison.resources import compare
from lab.directory import REPOSITORY
from stacks.plan.resolve import resolve
from stacks.settings.load import parse_settings
from tests.comparison.resources_of_tests import effects, said
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import shipped_settings, shipped_stack

if TYPE_CHECKING:
    from collections.abc import Callable

    from resource_graph import Resource

_STACKS = sorted(path.name.split(".")[1] for path in REPOSITORY.glob("Pulumi.*.yaml"))


def _recorded(name: str) -> list[Resource]:
    return list(recorded_stack(shipped_stack(name)))


def _copied(name: str) -> list[Resource]:
    return [replace(each, inputs=copy.deepcopy(_plain(each.inputs))) for each in _recorded(name)]


def _plain(inputs: Any) -> dict[str, Any]:
    return dict(inputs)


def _with(name: str, change: Callable[[dict[str, Any]], object]) -> dict[str, ResourceChange]:
    settings = shipped_settings(name)
    change(settings)
    file = f"Pulumi.{name}.yaml"
    head = recorded_stack(resolve(name, parse_settings(settings, file), file))
    return {each.title: each for each in compare(_recorded(name), head)}


def test_every_shipped_stack_is_the_same_as_itself() -> None:
    assert {name: compare(_recorded(name), _copied(name)) for name in _STACKS} == dict.fromkeys(_STACKS, ())


@pytest.mark.parametrize("name", _STACKS)
def test_against_nothing_everything_is_created_or_deleted(name: str) -> None:
    made = [each for each in _recorded(name) if each.custom and each.type != "pulumi:pulumi:Stack"]
    created = compare([], _recorded(name))
    assert [each.operation for each in created] == [Operation.CREATE] * len(made)
    deleted = compare(_recorded(name), [])
    assert {each.urn for each in deleted} == {each.urn for each in made}
    assert {each.operation for each in deleted} <= {Operation.DELETE, Operation.FORGET}


@pytest.mark.parametrize(("one", "other"), list(pairwise(_STACKS)))
def test_in_the_other_direction_what_was_added_is_removed(one: str, other: str) -> None:
    there, back = compare(_recorded(one), _recorded(other)), compare(_recorded(other), _recorded(one))
    lost = {Operation.DELETE, Operation.FORGET}
    assert {each.urn for each in there if each.operation is Operation.CREATE} == {
        each.urn for each in back if each.operation in lost
    }
    assert {each.urn for each in there if each.operation in lost} == {
        each.urn for each in back if each.operation is Operation.CREATE
    }


def test_an_override_of_the_engine_changes_one_setting_of_one_file_and_restarts_the_workers() -> None:
    overrides = {"decode": {"max_batch_size": 512}}
    found = _with("dev", lambda settings: settings["serving"].update(overrides=overrides))
    files = next(each for title, each in found.items() if title.startswith("ConfigMap"))
    assert files.operation is Operation.UPDATE
    assert files.renamed_from == "gpt-oss-disagg-engine-5bf3fe4aa5"
    assert "data decode.yaml max_batch_size: 1280 -> 512" in said(files.fields)
    assert {each.effect for each in files.fields} == {Effect.ROLLS_PODS}
    graph = found["DynamoGraphDeployment gpt-oss/gpt-oss-disagg"]
    assert "Another template of one worker restarts all workers of the graph." in graph.reasons
    assert len(found) == 2


def test_more_nodes_of_a_pool_change_its_size_in_place() -> None:
    found = _with("disagg-b200", lambda settings: settings["nodePools"][0].update(nodes=3))
    assert effects(found["NodeGroup b200-nodes"]) == {"scalingConfig maxSize": "in place"}
    assert effects(found["Deployment gpu-operators/gpu-nodes-ready-b200"]) == {"spec replicas": "in place"}


def test_another_capacity_block_rolls_the_nodes_of_its_pool() -> None:
    block = "cr-0aaaaaaaaaaaaaaaa"
    found = _with("disagg-b200", lambda settings: settings["nodePools"][0]["purchase"].update(id=block))
    assert effects(found["NodeGroup b200-nodes"]) == {"launchTemplate version": "rolls nodes"}
    assert list(found) == [
        "LaunchTemplate b200-nodes-template",
        "NodeGroup b200-nodes",
        "Deployment gpu-operators/gpu-nodes-ready-b200",
    ]


def test_another_instance_type_is_one_of_the_launch_template() -> None:
    found = _with("throughput-h200", lambda settings: settings["nodePools"][0].update(nodes=2))
    assert all(each.operation is Operation.UPDATE for each in found.values())


def test_another_namespace_moves_what_is_in_it_and_is_stopped_by_protection() -> None:
    found = _with("disagg-b200", lambda settings: settings["serving"].update(namespace="other"))
    refused = [title for title, each in found.items() if each.is_refused]
    assert refused == ["Namespace other", "PersistentVolumeClaim other/model-cache"]
    assert list(found)[:2] == refused
    job = found["Job other/model-download"]
    assert (job.operation, job.deletes_first) == (Operation.REPLACE, True)


def test_a_disposable_lifecycle_takes_protection_away_and_replaces_nothing() -> None:
    found = _with("disagg-b200", lambda settings: settings.update(lifecycle="disposable"))
    assert {each.operation for each in found.values()} == {Operation.UPDATE, Operation.KEEP}
    assert "options protect: True -> False" in said(found["PersistentVolumeClaim gpt-oss/model-cache"].fields)


def test_the_other_version_of_the_graphs_api_makes_the_same_graph_again() -> None:
    found = _with("dev", lambda settings: settings["platform"].update(graphApi="v1alpha1"))
    (graph,) = found.values()
    assert (graph.operation, graph.deletes_first) == (Operation.REPLACE, True)
    assert effects(graph) == {"apiVersion": "replaces"}


def test_another_platform_release_upgrades_its_charts_and_says_what_it_cannot_see() -> None:
    found = _with("dev", lambda settings: settings["platform"].update(version="1.4.2"))
    release = found["Release dynamo-platform"]
    assert release.operation is Operation.UPDATE
    assert "version: '1.2.1' -> '1.4.2'" in said(release.fields)
    assert release.reasons[0].startswith("Helm upgrades it in place")
