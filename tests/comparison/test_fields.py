"""What counts as a difference between two versions of one object, and how and where it is said to be."""

from typing import Any

import pytest

from comparison.changes import Change, FieldChange, Operation
from comparison.field_lines import resource_lines
from comparison.resources import compare
from resource_graph import UNKNOWN
from tests.comparison.made_up import changed
from tests.comparison.resources_of_tests import deployment, kubernetes_object, said_of, with_values

_MAIN = {"name": "main", "image": "server:1"}
_POD = "spec/template/spec"
_CONTAINER = f"{_POD}/containers/0"
_VARIABLES = [{"name": "HOME", "value": "/a"}, {"name": "SIZE", "value": "1024Mi"}]
_HTTP, _DNS = {"name": "http", "port": 80}, {"name": "dns-udp", "port": 80, "protocol": "UDP"}
_SERVICE = kubernetes_object("v1", "Service", "front", spec={"ports": [_HTTP, _DNS]})
_INGRESS = [{"from": [{"podSelector": {}}]}, {"from": [{"namespaceSelector": {}}]}]
_POLICY = kubernetes_object(
    "networking.k8s.io/v1", "NetworkPolicy", "in", spec={"podSelector": {}, "ingress": _INGRESS}
)
_CLAIM = kubernetes_object("v1", "PersistentVolumeClaim", "data", spec={"volumeName": UNKNOWN})
_THING = kubernetes_object("example.com/v1", "Thing", "one", spec={"port": 1})
_MOUNT = {"name": "data", "mountPath": "/data"}
_WITH_MOUNT = deployment(containers=[{**_MAIN, "volumeMounts": [_MOUNT]}])
_WITH_WORDS = deployment(containers=[{**_MAIN, "args": ["first", "second"], "env": _VARIABLES}])

_CHANGES: dict[str, tuple[Any, dict[str, Any], list[str]]] = {
    "a field is named by the name of its container": (
        deployment(),
        {f"{_CONTAINER}/image": "server:2"},
        [
            "updated: Deployment serving/server",
            "@@ spec.template.spec.containers.main.image (rolls pods) @@",
            "- server:1",
            "+ server:2",
        ],
    ),
    "a container before the others is one added and none changed": (
        deployment(),
        {f"{_POD}/containers": [{"name": "proxy", "image": "proxy:1"}, _MAIN]},
        [
            "updated: Deployment serving/server",
            "@@ spec.template.spec.containers.proxy (rolls pods) @@",
            '+ {"image": "proxy:1", "name": "proxy"}',
        ],
    ),
    "another spelling of an amount in a custom resource, which the provider compares as text": (
        kubernetes_object(
            "example.com/v1", "Thing", "one", spec={"resources": {"requests": {"storage": "1Ti"}}}
        ),
        {"spec/resources/requests/storage": "1024Gi"},
        [
            "updated: Thing serving/one",
            "@@ spec.resources.requests.storage @@",
            "- 1Ti",
            "+ 1024Gi",
        ],
    ),
    "another spelling of an amount in a variable": (
        _WITH_WORDS,
        {f"{_CONTAINER}/env/1/value": "1Gi"},
        [
            "updated: Deployment serving/server",
            "@@ spec.template.spec.containers.main.env.SIZE.value (rolls pods) @@",
            "- 1024Mi",
            "+ 1Gi",
        ],
    ),
    "a switch is no number": (
        _THING,
        {"spec/port": True},
        ["updated: Thing serving/one", "@@ spec.port @@", "- 1", "+ true"],
    ),
    "a switch of a pod that goes on": (
        _WITH_MOUNT,
        {f"{_POD}/hostNetwork": True},
        [
            "updated: Deployment serving/server",
            "@@ spec.template.spec.hostNetwork (rolls pods) @@",
            "+ true",
        ],
    ),
    "a file of settings that says what is off": (
        kubernetes_object("v1", "ConfigMap", "files", data={"a.yaml": "a: 1\nb: 2\n"}),
        {"data/a.yaml": "a: 1\nb: 2\nreadOnly: false\n"},
        [
            "replaced, the old one first: ConfigMap serving/files",
            '@@ data["a.yaml"].readOnly (replaces) @@',
            "+ false",
        ],
    ),
    "arguments in another order are a change": (
        _WITH_WORDS,
        {f"{_CONTAINER}/args": ["second", "first"]},
        [
            "updated: Deployment serving/server",
            "@@ spec.template.spec.containers.main.args[0] (rolls pods) @@",
            "+ second",
            "@@ spec.template.spec.containers.main.args[1] (rolls pods) @@",
            "- second",
        ],
    ),
    "variables in another order are a change as a later one may use an earlier": (
        _WITH_WORDS,
        {f"{_CONTAINER}/env": _VARIABLES[::-1]},
        [
            "updated: Deployment serving/server",
            "@@ spec.template.spec.containers.main.env (rolls pods) @@",
            '- ["HOME", "SIZE"]',
            '+ ["SIZE", "HOME"]',
        ],
    ),
    "a port is told by its name": (
        _SERVICE,
        {"spec/ports/1/targetPort": 53},
        ["updated: Service serving/front", '@@ spec.ports["dns-udp"].targetPort @@', "+ 53"],
    ),
    "a rule of a network policy before the others is one added and none changed": (
        _POLICY,
        {"spec/ingress": [{"ports": [{"port": 80}]}, *_INGRESS]},
        ["updated: NetworkPolicy serving/in", "@@ spec.ingress[0] @@", '+ {"ports": [{"port": 80}]}'],
    ),
}
_SAME: dict[str, tuple[Any, dict[str, Any]]] = {
    "ports of a service in another order": (_SERVICE, {"spec/ports": [_DNS, _HTTP]}),
    "an unknown value and an unknown value": (_CLAIM, {"spec/volumeName": UNKNOWN}),
    "keys in another order": (
        kubernetes_object("example.com/v1", "Thing", "one", spec={"a": 1, "b": {"c": 1, "d": 2}}),
        {"spec": {"b": {"d": 2, "c": 1}, "a": 1}},
    ),
    "null and nothing": (deployment(), {f"{_CONTAINER}/args": None}),
}


@pytest.mark.parametrize("case", _CHANGES)
def test_a_difference_is_said_where_it_is(case: str) -> None:
    before, values, words = _CHANGES[case]
    assert said_of(before, values) == words


@pytest.mark.parametrize("case", _SAME)
def test_what_is_the_same_to_the_engine_is_no_change(case: str) -> None:
    one, values = _SAME[case]
    other = with_values(one, values)
    assert compare([one], [other]) == compare([other], [one]) == ()


_NUMBERS = "\n".join(map(str, range(50)))
_LINES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a path as people write it": (
        {"path": ("services", 0, "nvidia.com/gpu"), "before": 2, "after": 4},
        ['@@ services[0]["nvidia.com/gpu"] @@', "- 2", "+ 4"],
    ),
    "of a long text only what differs": (
        {"before": _NUMBERS, "after": _NUMBERS.replace("25", "x")},
        ["@@ data @@", "@@ -24,5 +24,5 @@", " 23", " 24", "-25", "+x", " 26", " 27"],
    ),
    "a secret shows that it changed and nothing else": (
        {"before": "hf_before", "after": "hf_after", "is_secret": True},
        ["@@ data @@", "! changed: a secret, which is not shown"],
    ),
    "what only the update knows": (
        {"change": Change.ADDED, "after": UNKNOWN},
        ["@@ data @@", "+ (known after the update)"],
    ),
    "control characters are escaped": (
        {"before": "a\x1b[2J", "after": "b\u202e\nc"},
        ["@@ data @@", "- a\\x1b[2J", "+ b\\u202e", "+ c"],
    ),
}


def _lines(values: dict[str, Any]) -> list[str]:
    field = FieldChange(**{"path": ("data",), "change": Change.CHANGED} | values)
    return list(resource_lines(changed("ConfigMap a/b", Operation.UPDATE, field)))


@pytest.mark.parametrize("case", _LINES)
def test_a_field_is_told_in_lines_of_a_difference(case: str) -> None:
    values, lines = _LINES[case]
    assert _lines(values) == lines
