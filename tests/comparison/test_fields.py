"""What counts as a difference between two versions of one object, and where it is said to be."""

from __future__ import annotations

from typing import Any

import pytest

from resource_graph import UNKNOWN
from tests.comparison.resources_of_tests import (
    changed,
    deployment,
    effects,
    kubernetes_object,
    no_change,
    resource,
    said,
    with_inputs,
)


def _container(inputs: dict[str, Any]) -> dict[str, Any]:
    return inputs["spec"]["template"]["spec"]["containers"][0]


_POD = "spec template spec"
_MAIN = f"{_POD} containers main"


def test_a_changed_field_is_named_by_the_name_of_its_container() -> None:
    found = changed(deployment(), lambda inputs: _container(inputs).update(image="server:2"))
    assert said(found.fields) == [f"{_MAIN} image: 'server:1' -> 'server:2'"]


def test_a_container_before_the_others_is_one_added_and_none_changed() -> None:
    def add(inputs: dict[str, Any]) -> None:
        inputs["spec"]["template"]["spec"]["containers"].insert(0, {"name": "proxy", "image": "proxy:1"})

    found = changed(deployment(), add)
    assert [each.split(":")[0] for each in said(found.fields)] == [f"{_POD} containers proxy"]
    assert found.fields[0].change.value == "added"


@pytest.mark.parametrize(
    ("before", "after"),
    [("1", "1000m"), (1, "1"), ("1024Mi", "1Gi"), ("0.5", "500m"), (1.0, 1), ("1e3", "1k"), ("100M", "0.1G")],
)
def test_an_amount_in_another_spelling_is_no_change(before: Any, after: Any) -> None:
    start = with_inputs(
        deployment(), lambda inputs: _container(inputs).update(resources={"limits": {"memory": before}})
    )
    assert no_change(start, lambda inputs: _container(inputs)["resources"]["limits"].update(memory=after))


def test_another_amount_is_a_change_said_as_it_is_written() -> None:
    start = with_inputs(
        deployment(), lambda inputs: _container(inputs).update(resources={"requests": {"cpu": "1"}})
    )
    found = changed(start, lambda inputs: _container(inputs)["resources"]["requests"].update(cpu="1001m"))
    assert said(found.fields) == [f"{_MAIN} resources requests cpu: '1' -> '1001m'"]


def test_what_looks_like_an_amount_elsewhere_is_text() -> None:
    start = with_inputs(
        deployment(), lambda inputs: _container(inputs).update(env=[{"name": "SIZE", "value": "1024Mi"}])
    )
    found = changed(start, lambda inputs: _container(inputs)["env"][0].update(value="1Gi"))
    assert said(found.fields) == [f"{_MAIN} env SIZE value: '1024Mi' -> '1Gi'"]


def test_a_switch_is_no_number() -> None:
    def with_port(value: Any) -> Any:
        return kubernetes_object("example.com/v1", "Thing", "one", spec={"port": value})

    found = changed(with_port(1), lambda inputs: inputs["spec"].update(port=True))
    assert said(found.fields) == ["spec port: 1 -> True"]


def test_arguments_in_another_order_are_a_change() -> None:
    start = with_inputs(deployment(), lambda inputs: _container(inputs).update(args=["first", "second"]))
    assert changed(start, lambda inputs: _container(inputs).update(args=["second", "first"])).fields


def test_variables_in_another_order_are_a_change_as_a_later_one_may_use_an_earlier() -> None:
    variables = [{"name": "HOME", "value": "/a"}, {"name": "CACHE", "value": "$(HOME)/b"}]
    start = with_inputs(deployment(), lambda inputs: _container(inputs).update(env=variables))
    found = changed(start, lambda inputs: _container(inputs).update(env=variables[::-1]))
    assert said(found.fields) == [f"{_MAIN} env: ['HOME', 'CACHE'] -> ['CACHE', 'HOME']"]
    assert effects(found) == {f"{_MAIN} env": "rolls pods"}


def test_ports_of_a_service_in_another_order_are_no_change() -> None:
    ports = [{"name": "http", "port": 80}, {"name": "grpc", "port": 81}]
    service = kubernetes_object("v1", "Service", "front", spec={"ports": ports})
    assert no_change(service, lambda inputs: inputs["spec"].update(ports=ports[::-1]))


def test_a_port_that_is_there_for_two_protocols_is_told_apart() -> None:
    ports = [{"name": "dns", "port": 53}, {"name": "dns-udp", "port": 53, "protocol": "UDP"}]
    service = kubernetes_object("v1", "Service", "dns", spec={"ports": ports})
    found = changed(service, lambda inputs: inputs["spec"]["ports"][1].update(targetPort=5353))
    assert said(found.fields) == ["spec ports 53/UDP targetPort: None -> 5353"]


def test_rules_of_a_network_policy_in_another_order_are_no_change_and_a_new_one_is_added() -> None:
    rules = [{"from": [{"podSelector": {}}]}, {"from": [{"namespaceSelector": {}}]}]
    policy = kubernetes_object(
        "networking.k8s.io/v1", "NetworkPolicy", "in", spec={"podSelector": {}, "ingress": rules}
    )
    assert no_change(policy, lambda inputs: inputs["spec"].update(ingress=rules[::-1]))
    more = [{"ports": [{"port": 80}]}, *rules]
    found = changed(policy, lambda inputs: inputs["spec"].update(ingress=more))
    assert [(each.path, each.change.value) for each in found.fields] == [(("spec", "ingress", 0), "added")]


def test_an_unknown_value_is_the_same_as_an_unknown_value() -> None:
    claim = kubernetes_object("v1", "PersistentVolumeClaim", "data", spec={"volumeName": UNKNOWN})
    assert no_change(claim, lambda inputs: inputs["spec"].update(volumeName=UNKNOWN))


def test_null_is_the_same_as_nothing() -> None:
    assert no_change(deployment(), lambda inputs: _container(inputs).update(args=None))


def test_aws_tags_and_lists_have_no_order_and_an_empty_block_is_none() -> None:
    group = resource("aws:eks/nodeGroup:NodeGroup", "nodes", {"subnetIds": ["a", "b"], "labels": {}})
    assert no_change(group, lambda inputs: inputs.update(subnetIds=["b", "a"], labels=None, taints=[]))
