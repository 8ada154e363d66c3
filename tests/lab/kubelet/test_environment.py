"""The variables of a container, as Kubernetes resolves them."""

import pytest

from lab.kubelet.environment import container_variables
from lab.kubelet.objects import CannotStartError
from tests.lab.kubelet.pods import ADDRESS, container, objects, pod


def test_values_fields_and_keys_are_resolved_in_their_order() -> None:
    main = container(
        env=[
            {"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
            {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}},
            {"name": "URL", "value": "http://$(NAME)/$(LATER)/$$(NAME)"},
            {"name": "LATER", "value": "x"},
            {
                "name": "GONE",
                "valueFrom": {"configMapKeyRef": {"name": "gone", "key": "k", "optional": True}},
            },
        ],
    )
    known = objects(secrets={"hf": {"token": "s3cret"}})
    assert container_variables(pod(main), main, known, ADDRESS) == {
        "NAME": "worker-0",
        "IP": ADDRESS,
        "TOKEN": "s3cret",
        "URL": "http://worker-0/$(LATER)/$(NAME)",
        "LATER": "x",
    }


def referring(**source: object) -> dict[str, object]:
    return {"env": [{"name": "X", "valueFrom": source}]}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (referring(secretKeyRef={"name": "gone", "key": "token"}), 'secret "gone" not found'),
        (
            referring(secretKeyRef={"name": "hf", "key": "other"}),
            "couldn't find key other in Secret serving/hf",
        ),
        (referring(resourceFieldRef={"resource": "limits.cpu"}), "knows no variables from resourceFieldRef"),
        (referring(fieldRef={"fieldPath": "spec.priority"}), "knows no field spec.priority"),
        ({"envFrom": [{"secretRef": {"name": "hf"}}]}, "knows no variables from envFrom"),
    ],
)
def test_a_reference_to_nothing_keeps_the_container_from_starting(
    fields: dict[str, object], message: str
) -> None:
    main = container(**fields)
    with pytest.raises(CannotStartError) as refused:
        container_variables(pod(main), main, objects(secrets={"hf": {"token": "t"}}), ADDRESS)
    assert message in str(refused.value)
    assert refused.value.reason == "CreateContainerConfigError"
