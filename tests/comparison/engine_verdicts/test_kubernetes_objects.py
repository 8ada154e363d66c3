"""What becomes of a Kubernetes object for one changed field."""

from dataclasses import replace
from typing import Any

import pytest

from tests.comparison.engine_verdicts.labs_provider import assert_said
from tests.comparison.resources_of_tests import deployment, kubernetes_object, with_values

_CONTAINER = {"name": "main", "image": "server:1", "resources": {"limits": {"memory": "1024Mi"}}}
_JOB = kubernetes_object(
    "batch/v1",
    "Job",
    "fill",
    spec={"template": {"spec": {"containers": [_CONTAINER], "restartPolicy": "Never"}}},
)
_POD = "spec/template/spec"
_FILES = kubernetes_object("v1", "ConfigMap", "files", data={"a": "1", "b.yaml": "x: 1\ny: 2\n"})
_VOLUMES = [{"name": "one", "emptyDir": {}}, {"name": "two", "emptyDir": {}}]
_JOB_WITH_VOLUMES = with_values(_JOB, {f"{_POD}/volumes": _VOLUMES})
_CLAIM_TEMPLATE = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
_SET = kubernetes_object(
    "apps/v1", "StatefulSet", "db", spec={"serviceName": "db", "volumeClaimTemplates": [_CLAIM_TEMPLATE]}
)
_THING = replace(
    kubernetes_object("example.com/v1", "Thing", "one", spec={"size": 1}), replace_on_changes=("spec",)
)
_KEPT = replace(deployment(), retain_on_delete=True)

_CHANGES: dict[str, tuple[Any, dict[str, Any], list[str]]] = {
    "another image replaces a job, the old one first": (
        _JOB,
        {f"{_POD}/containers/0/image": "b:1"},
        [
            "replaced, the old one first: Job serving/fill",
            "@@ spec.template.spec.containers.main.image (replaces) @@",
            "- server:1",
            "+ b:1",
        ],
    ),
    "a default that is written out replaces a job": (
        _JOB,
        {"spec/parallelism": 1},
        [
            "replaced, the old one first: Job serving/fill",
            "@@ spec.parallelism (replaces) @@",
            "+ 1",
        ],
    ),
    "a default that is written out in its template replaces a job": (
        _JOB,
        {f"{_POD}/dnsPolicy": "ClusterFirst"},
        [
            "replaced, the old one first: Job serving/fill",
            "@@ spec.template.spec.dnsPolicy (replaces) @@",
            "+ ClusterFirst",
        ],
    ),
    "a job's limit of attempts is changed in place": (
        _JOB,
        {"spec/backoffLimit": 2},
        ["updated: Job serving/fill", "@@ spec.backoffLimit @@", "+ 2"],
    ),
    "a job's completion mode is refused": (
        _JOB,
        {"spec/completionMode": "Indexed"},
        [
            "updated; refused: Job serving/fill",
            "@@ spec.completionMode (refused by the API server) @@",
            "+ Indexed",
        ],
    ),
    "a refusal means nothing where another object is made": (
        _JOB,
        {"spec/completionMode": "Indexed", "spec/completions": 4},
        [
            "replaced, the old one first: Job serving/fill",
            "@@ spec.completionMode @@",
            "+ Indexed",
            "@@ spec.completions (replaces) @@",
            "+ 4",
        ],
    ),
    "another name is another object, made before the old one goes": (
        deployment(),
        {"metadata/name": "other"},
        [
            "replaced: Deployment serving/other",
            "@@ metadata.name (replaces) @@",
            "- server",
            "+ other",
        ],
    ),
    "another object of what is kept leaves the old one behind": (
        _KEPT,
        {"metadata/name": "other"},
        [
            "replaced: Deployment serving/other",
            "# The old one stays where it is, and nobody looks after it any more (retainOnDelete).",
            "@@ metadata.name (replaces) @@",
            "- server",
            "+ other",
        ],
    ),
    "replicas and strategy of a deployment are changed in place": (
        deployment(),
        {"spec/replicas": 3, "spec/strategy": {"type": "Recreate"}, "metadata/labels": {"a": "b"}},
        [
            "updated: Deployment serving/server",
            "@@ metadata.labels @@",
            '+ {"a": "b"}',
            "@@ spec.replicas @@",
            "+ 3",
            "@@ spec.strategy @@",
            '+ {"type": "Recreate"}',
        ],
    ),
    "another selector replaces a deployment": (
        deployment(),
        {"spec/selector": {"matchLabels": {"app": "other"}}},
        [
            "replaced, the old one first: Deployment serving/server",
            "@@ spec.selector.matchLabels.app (replaces) @@",
            "- server",
            "+ other",
        ],
    ),
    "a label of the template restarts pods": (
        deployment(),
        {"spec/template/metadata/labels/version": "2"},
        [
            "updated: Deployment serving/server",
            "@@ spec.template.metadata.labels.version (rolls pods) @@",
            "+ 2",
        ],
    ),
    "content replaces a config map, the old one first": (
        _FILES,
        {"data/a": "2"},
        [
            "replaced, the old one first: ConfigMap serving/files",
            "@@ data.a (replaces) @@",
            "- 1",
            "+ 2",
        ],
    ),
    "the order of volumes replaces a job": (
        _JOB_WITH_VOLUMES,
        {f"{_POD}/volumes": _VOLUMES[::-1]},
        [
            "replaced, the old one first: Job serving/fill",
            "@@ spec.template.spec.volumes (replaces) @@",
            '- ["one", "two"]',
            '+ ["two", "one"]',
        ],
    ),
    "a default in a claim template of a set": (
        _SET,
        {"spec/volumeClaimTemplates/0/spec/volumeMode": "Filesystem"},
        [
            "replaced, the old one first; holds data: StatefulSet serving/db",
            "@@ spec.volumeClaimTemplates[0].spec.volumeMode (replaces) @@",
            "+ Filesystem",
        ],
    ),
    "history and replicas of a set": (
        _SET,
        {"spec/revisionHistoryLimit": 10, "spec/replicas": 3},
        [
            "replaced, the old one first; holds data: StatefulSet serving/db",
            "@@ spec.replicas @@",
            "+ 3",
            "@@ spec.revisionHistoryLimit (replaces) @@",
            "+ 10",
        ],
    ),
    "the order of keys in a config map": (
        _FILES,
        {"data/b.yaml": "y: 2\nx: 1\n"},
        [
            "replaced, the old one first: ConfigMap serving/files",
            '@@ data["b.yaml"] (replaces) @@',
            "@@ -1,3 +1,3 @@",
            "+y: 2",
            " x: 1",
            "-y: 2",
            " ",
        ],
    ),
    "a label of a config map": (
        _FILES,
        {"metadata/labels": {"a": "b"}},
        ["updated: ConfigMap serving/files", "@@ metadata.labels @@", '+ {"a": "b"}'],
    ),
    "another namespace": (
        _FILES,
        {"metadata/namespace": "other"},
        [
            "replaced: ConfigMap other/files",
            "@@ metadata.namespace (replaces) @@",
            "- serving",
            "+ other",
        ],
    ),
    "the option to replace creates first": (
        _THING,
        {"spec/size": 2},
        [
            "replaced: Thing serving/one",
            "# The program asks for a replacement when spec.size changes (replaceOnChanges).",
            "@@ spec.size (replaces) @@",
            "- 1",
            "+ 2",
        ],
    ),
    "the option to replace deletes first where it is told so": (
        replace(_THING, delete_before_replace=True),
        {"spec/size": 2},
        [
            "replaced, the old one first: Thing serving/one",
            "# The program asks for a replacement when spec.size changes (replaceOnChanges).",
            "@@ spec.size (replaces) @@",
            "- 1",
            "+ 2",
        ],
    ),
}


@pytest.mark.parametrize("case", _CHANGES)
def test_a_changed_field_says_what_becomes_of_its_object_and_why(case: str) -> None:
    assert_said(*_CHANGES[case])
