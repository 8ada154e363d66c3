"""Whether an object is replaced, asked of the comparison and of the lab's provider, which share no code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from comparison.changes import Operation
from comparison.resources import compare
from lab.kubernetes_provider.diff import difference
from lab.kubernetes_provider.forced_replacement import forcing_paths
from lab.kubernetes_provider.normalise import normalised
from tests.comparison.resources_of_tests import deployment, kubernetes_object, with_values

if TYPE_CHECKING:
    from resource_graph import Resource

_MAIN = {"name": "main", "image": "server:1", "resources": {"limits": {"memory": "1024Mi"}}}
_VOLUMES = [{"name": "one", "emptyDir": {}}, {"name": "two", "emptyDir": {}}]
_POD = {"containers": [_MAIN], "volumes": _VOLUMES}
_JOB = kubernetes_object("batch/v1", "Job", "fill", spec={"template": {"spec": _POD}})
_CLAIMS = [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}]
_SET = kubernetes_object(
    "apps/v1", "StatefulSet", "db", spec={"serviceName": "db", "volumeClaimTemplates": _CLAIMS}
)
_MAP = kubernetes_object("v1", "ConfigMap", "files", data={"a.yaml": "x: 1\ny: 2\n"})


_POD_PATH = "spec/template/spec"
_QUESTIONS: dict[str, tuple[Resource, dict[str, Any]]] = {
    "image of a job": (_JOB, {f"{_POD_PATH}/containers/0/image": "server:2"}),
    "default in a job": (_JOB, {f"{_POD_PATH}/dnsPolicy": "ClusterFirst"}),
    "amount in a job": (_JOB, {f"{_POD_PATH}/containers/0/resources/limits/memory": "1Gi"}),
    "order of a job's volumes": (_JOB, {f"{_POD_PATH}/volumes": _VOLUMES[::-1]}),
    "parallelism of a job": (_JOB, {"spec/parallelism": 1}),
    "attempts of a job": (_JOB, {"spec/backoffLimit": 2}),
    "image of a deployment": (deployment(), {f"{_POD_PATH}/containers/0/image": "server:2"}),
    "selector of a deployment": (deployment(), {"spec/selector": {"matchLabels": {"app": "other"}}}),
    "default of a claim template": (_SET, {"spec/volumeClaimTemplates/0/spec/volumeMode": "Filesystem"}),
    "history of a set": (_SET, {"spec/revisionHistoryLimit": 10}),
    "replicas of a set": (_SET, {"spec/replicas": 3}),
    "setting in a map": (_MAP, {"data/a.yaml": "x: 1\ny: 3\n"}),
    "order of keys in a map": (_MAP, {"data/a.yaml": "y: 2\nx: 1\n"}),
    "comment in a map": (_MAP, {"data/a.yaml": "x: 1\ny: 2\n# both\n"}),
    "label of a map": (_MAP, {"metadata/labels": {"a": "b"}}),
    "namespace": (_MAP, {"metadata/namespace": "other"}),
}


@pytest.mark.parametrize("question", _QUESTIONS)
def test_both_replace_the_same(question: str) -> None:
    before, values = _QUESTIONS[question]
    after = with_values(before, values)
    old, new = (normalised(dict(each.inputs)) for each in (before, after))
    forcing = forcing_paths(new, config_map_mutable=False, secret_mutable=False)
    theirs = difference(old, new, forcing, old_inputs=old)
    ours = [each.operation for each in compare([before], [after])]
    assert (Operation.REPLACE in ours) is bool(theirs.replaces)
