"""Whether an object is replaced, asked of the comparison and of the lab's provider, which share no code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from comparison.changes import Operation
from comparison.resources import compare
from lab.kubernetes_provider.diff import difference
from lab.kubernetes_provider.forced_replacement import forcing_paths
from lab.kubernetes_provider.normalise import normalised
from tests.comparison.resources_of_tests import deployment, kubernetes_object, with_inputs

if TYPE_CHECKING:
    from collections.abc import Callable

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


def _spec(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda inputs: inputs["spec"].update(fields)


def _pod(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda inputs: inputs["spec"]["template"]["spec"].update(fields)


def _content(text: str) -> Callable[[dict[str, Any]], object]:
    return lambda inputs: inputs["data"].update({"a.yaml": text})


_QUESTIONS: dict[str, tuple[Resource, Callable[[dict[str, Any]], object]]] = {
    "image of a job": (_JOB, _pod(containers=[{**_MAIN, "image": "server:2"}])),
    "default in a job": (_JOB, _pod(dnsPolicy="ClusterFirst")),
    "amount in a job": (_JOB, _pod(containers=[{**_MAIN, "resources": {"limits": {"memory": "1Gi"}}}])),
    "order of a job's volumes": (_JOB, _pod(volumes=_VOLUMES[::-1])),
    "parallelism of a job": (_JOB, _spec(parallelism=1)),
    "attempts of a job": (_JOB, _spec(backoffLimit=2)),
    "image of a deployment": (deployment(), _pod(containers=[{"name": "main", "image": "server:2"}])),
    "selector of a deployment": (deployment(), _spec(selector={"matchLabels": {"app": "other"}})),
    "default of a claim template": (
        _SET,
        _spec(
            volumeClaimTemplates=[{**_CLAIMS[0], "spec": {**_CLAIMS[0]["spec"], "volumeMode": "Filesystem"}}]
        ),
    ),
    "history of a set": (_SET, _spec(revisionHistoryLimit=10)),
    "replicas of a set": (_SET, _spec(replicas=3)),
    "setting in a map": (_MAP, _content("x: 1\ny: 3\n")),
    "order of keys in a map": (_MAP, _content("y: 2\nx: 1\n")),
    "comment in a map": (_MAP, _content("x: 1\ny: 2\n# both\n")),
    "label of a map": (_MAP, lambda inputs: inputs["metadata"].update(labels={"a": "b"})),
    "namespace": (_MAP, lambda inputs: inputs["metadata"].update(namespace="other")),
}


@pytest.mark.parametrize("question", _QUESTIONS)
def test_both_replace_the_same(question: str) -> None:
    before, change = _QUESTIONS[question]
    after = with_inputs(before, change)
    old, new = (normalised(dict(each.inputs)) for each in (before, after))
    forcing = forcing_paths(new)
    theirs = difference(old, new, forcing, old_inputs=old)
    ours = [each.operation for each in compare([before], [after])]
    assert (Operation.REPLACE in ours) is bool(theirs.replaces)
