"""The variables of a container, as Kubernetes resolves them."""

from __future__ import annotations

import pytest

from lab.kubelet.environment import CannotStartError, container_variables, expanded
from tests.lab.kubelet.pods import ADDRESS, container, objects, pod


def test_values_fields_and_keys_are_resolved_in_their_order() -> None:
    main = container(
        envFrom=[{"configMapRef": {"name": "all"}, "prefix": "P_"}],
        env=[
            {"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
            {"name": "ROLE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['role']"}}},
            {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}},
            {"name": "URL", "value": "http://$(NAME)/$(P_A)/$(LATER)/$$(NAME)"},
            {"name": "LATER", "value": "x"},
        ],
    )
    known = objects(config={"all": {"A": "1"}}, secrets={"hf": {"token": "s3cret"}})
    assert container_variables(pod(main), main, known, ADDRESS) == {
        "P_A": "1",
        "NAME": "worker-0",
        "IP": ADDRESS,
        "ROLE": "decode",
        "TOKEN": "s3cret",
        "URL": "http://worker-0/1/$(LATER)/$(NAME)",
        "LATER": "x",
    }


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ({"secretKeyRef": {"name": "gone", "key": "token"}}, 'secret "gone" not found'),
        ({"secretKeyRef": {"name": "hf", "key": "other"}}, "couldn't find key other in Secret serving/hf"),
        ({"resourceFieldRef": {"resource": "limits.cpu"}}, "knows no variables from resourceFieldRef"),
        ({"fieldRef": {"fieldPath": "spec.priority"}}, "knows no field spec.priority"),
    ],
)
def test_a_reference_to_nothing_keeps_the_container_from_starting(
    reference: dict[str, object], message: str
) -> None:
    main = container(env=[{"name": "X", "valueFrom": reference}])
    with pytest.raises(CannotStartError) as refused:
        container_variables(pod(main), main, objects(secrets={"hf": {"token": "t"}}), ADDRESS)
    assert message in str(refused.value)
    assert refused.value.reason == "CreateContainerConfigError"


def test_an_optional_reference_to_nothing_is_no_variable() -> None:
    reference = {"configMapKeyRef": {"name": "gone", "key": "k", "optional": True}}
    main = container(env=[{"name": "X", "valueFrom": reference}])
    assert container_variables(pod(main), main, objects(), ADDRESS) == {}


def test_a_dollar_sign_that_is_doubled_is_one() -> None:
    assert expanded("$$HOME $(A) $(B)", {"A": "1"}) == "$HOME 1 $(B)"
