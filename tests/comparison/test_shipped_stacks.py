"""Recordings of shipped stacks, compared with nothing and with what a person would type.

Other changes that a person would type are the files of `cases`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from comparison.changes import Operation
from comparison.resources import compare
from stacks.plan.resolve import resolve
from stacks.settings.load import parse_settings
from tests.comparison.resources_of_tests import said
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import shipped_settings, shipped_stack

if TYPE_CHECKING:
    from resource_graph import ResourceGraph

_OF_EACH_KIND = pytest.mark.parametrize("name", ["dev", "disagg-gb200-two-trays", "vllm-disagg-h100"])


def _recorded(name: str) -> ResourceGraph:
    return recorded_stack(shipped_stack(name))


def _with_serving(name: str, **serving: Any) -> ResourceGraph:
    settings = shipped_settings(name)
    settings["serving"] |= serving
    file = f"Pulumi.{name}.yaml"
    return recorded_stack(resolve(name, parse_settings(settings, file), file))


@_OF_EACH_KIND
def test_against_nothing_everything_is_created_or_deleted(name: str) -> None:
    made = {each.urn for each in _recorded(name) if each.custom and each.type != "pulumi:pulumi:Stack"}
    created, deleted = compare([], _recorded(name)), compare(_recorded(name), [])
    assert {(each.urn, each.operation) for each in created} == {(urn, Operation.CREATE) for urn in made}
    assert {each.urn for each in deleted} == made
    assert {each.operation for each in deleted} <= {Operation.DELETE, Operation.FORGET}


def test_an_override_of_the_engine_changes_one_setting_of_one_file_and_restarts_the_workers() -> None:
    head = _with_serving("dev", overrides={"decode": {"max_batch_size": 512}})
    volume = 'podTemplate.spec.volumes["engine-files"]'
    assert said(_recorded("dev"), head) == [
        "updated: ConfigMap gpt-oss/gpt-oss-disagg-engine-5afe69c6b7",
        "# was named gpt-oss-disagg-engine-5bf3fe4aa5",
        '@@ data["decode.yaml"].max_batch_size (rolls pods) @@',
        "- 1280",
        "+ 512",
        "updated: DynamoGraphDeployment gpt-oss/gpt-oss-disagg",
        "# Another template of one worker restarts all workers of the graph.",
        f"@@ spec.components.TrtllmPrefillWorker.{volume}.configMap.name (rolls pods) @@",
        "- gpt-oss-disagg-engine-5bf3fe4aa5",
        "+ gpt-oss-disagg-engine-5afe69c6b7",
        f"@@ spec.components.TrtllmDecodeWorker.{volume}.configMap.name (rolls pods) @@",
        "- gpt-oss-disagg-engine-5bf3fe4aa5",
        "+ gpt-oss-disagg-engine-5afe69c6b7",
    ]


def test_another_namespace_moves_what_is_in_it_and_is_stopped_by_protection() -> None:
    found = compare(_recorded("disagg-b200"), _with_serving("disagg-b200", namespace="other"))
    refused = [each.title for each in found if each.is_refused]
    assert refused == ["Namespace other", "PersistentVolumeClaim other/model-cache"]
    assert [each.title for each in found[:2]] == refused
