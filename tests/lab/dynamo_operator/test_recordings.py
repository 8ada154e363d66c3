"""The stand-in against the real operator of the 1.2 line: the same graphs, the same objects, field by field.

Not compared, each with its reason: hashes of worker generations, which the real operator takes over Go's own
serialisation (the recorded one is given to the stand-in, so that names and labels are compared all the same);
what `recordings.py` lists field by field; times, uids and addresses, which the recordings do not hold.
"""

import base64
import functools
import json
import operator
from typing import Any

import pytest

from lab.dynamo_operator.admission import mutate, validate
from lab.dynamo_operator.components import FINALIZER
from lab.dynamo_operator.conversion import GRAPH, V1ALPHA1, V1BETA1, converted
from lab.dynamo_operator.status import Outcome, component_status, graph_status
from tests.lab.dynamo_operator.built import CONFIGURATION, objects, read
from tests.lab.dynamo_operator.recordings import (
    CASES,
    CASES_OF_1_4,
    Manifest,
    applied_graph,
    recorded,
    without_what_others_wrote,
)
from tests.lab.dynamo_operator.reviews import review

COMPONENT = "DynamoComponentDeployment"
HASHES = ("nvidia.com/current-worker-hash", "nvidia.com/current-worker-hash-v2")


def admitted(graph: Manifest) -> Manifest:
    """The graph after the webhooks, which see every graph as v1alpha1."""
    seen = converted(graph, V1ALPHA1)
    patch = json.loads(base64.b64decode(mutate(review(seen), CONFIGURATION.version)["response"]["patch"]))
    for step in patch:
        _, *parents, last = step["path"].split("/")
        functools.reduce(operator.getitem, parents, seen)[last.replace("~1", "/")] = step["value"]
    assert validate(review(seen))["response"]["allowed"]
    return converted(seen, V1BETA1)


def made(case: str) -> dict[tuple[str, str], Manifest]:
    graph = admitted(applied_graph(case))
    known: dict[str, Any] = recorded(case)[GRAPH, graph["metadata"]["name"]]["metadata"]["annotations"]
    hashes = {key: known[key] for key in HASHES if key in known}
    graph["metadata"]["annotations"] |= hashes
    graph["metadata"]["finalizers"] = [FINALIZER]
    made = objects(graph, next(iter(hashes.values())))
    return made | {(GRAPH, graph["metadata"]["name"]): read(graph)}


@pytest.mark.parametrize("case", CASES)
def test_a_recorded_graph_becomes_the_recorded_objects(case: str) -> None:
    ours, theirs = made(case), recorded(case)
    assert sorted(ours) == sorted(theirs)
    for name, manifest in theirs.items():
        expected = without_what_others_wrote(manifest)
        assert without_what_others_wrote(ours[name]) == expected, name


@pytest.mark.parametrize("case", CASES)
def test_the_recorded_workloads_give_the_recorded_statuses(case: str) -> None:
    theirs = recorded(case)
    graph = theirs.pop(next(name for name in theirs if name[0] == GRAPH))
    owners = [each for (kind, _), each in theirs.items() if kind == COMPONENT]
    for owner in owners:
        workload = theirs["Deployment", owner["metadata"]["name"]]
        status = component_status(owner | {"status": {}}, workload, "now")
        assert without_times(status) == owner["status"]
    status = graph_status(graph | {"status": {}}, Outcome(owners), "now")
    assert without_times(status) == graph["status"]


def without_times(status: Manifest) -> Manifest:
    conditions = [
        {key: value for key, value in each.items() if key != "lastTransitionTime"}
        for each in status["conditions"]
    ]
    return status | {"conditions": conditions}


@pytest.mark.parametrize("case", CASES)
def test_a_graph_that_is_read_in_the_other_version_and_written_back_has_not_changed(case: str) -> None:
    graph = converted(applied_graph(case), V1ALPHA1)
    assert converted(converted(graph, V1BETA1), V1ALPHA1) == graph
    theirs = recorded(case)
    for name, manifest in theirs.items():
        if name[0] in {GRAPH, COMPONENT}:
            assert converted(converted(manifest, V1ALPHA1), V1BETA1)["spec"] == manifest["spec"]


@pytest.mark.parametrize("case", CASES_OF_1_4)
def test_the_1_4_line_makes_the_same_but_for_its_version_and_the_mounts_of_v1alpha1(case: str) -> None:
    """Its other differences are hashes (one annotation, not two) and runtimeNamespace in statuses."""
    ours, theirs = made(case), recorded(case)
    assert sorted(ours) == sorted(theirs)
    mounted: set[str] = set()
    for name, manifest in theirs.items():
        lacking = without_what_others_wrote(ours[name])
        if name[0] == "Deployment" and with_what_1_4_mounts(lacking):
            mounted.add(name[1])
        elif name[0] in {GRAPH, COMPONENT}:
            with_what_1_4_mounts(lacking)
        text = json.dumps(lacking).replace('origin-version": "1.2.1"', 'origin-version": "1.4.2"')
        assert json.loads(text) == without_what_others_wrote(manifest), name
    workers = {name for kind, name in theirs if kind == "Deployment" and "worker" in name}
    assert mounted == (set() if case.endswith("-b1") else workers)


def with_what_1_4_mounts(manifest: Manifest) -> bool:
    """Adds the claim that only a v1alpha1 service mounts, where a worker lacks it; says whether one did."""
    mount = {"mountPath": "/opt/models", "name": "model-cache"}
    claim = {"name": "model-cache", "persistentVolumeClaim": {"claimName": "model-cache"}}
    added = False
    parts = manifest["spec"].get("components", [manifest["spec"]])
    templates = [each.get("podTemplate") or each["template"] for each in parts]
    for pod in [each["spec"] for each in templates]:
        (container,) = pod["containers"]
        mounts = container["volumeMounts"]
        if mount["mountPath"] in {each["mountPath"] for each in mounts}:
            continue
        added = True
        own = [each for each in mounts if each["name"] != "shared-memory"]
        container["volumeMounts"] = [*own, mount, *mounts[len(own) :]]
        if manifest["kind"] == "Deployment":
            pod["volumes"].insert(len(own), claim)
    return added
