"""What becomes of a Kubernetes object for one changed field."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from comparison.changes import Operation
from comparison.resources import compare
from tests.comparison.resources_of_tests import (
    changed,
    deployment,
    effects,
    kubernetes_object,
    no_change,
    said,
    with_inputs,
)

_CONTAINER = {"name": "main", "image": "server:1"}
_TEMPLATE = {"spec": {"containers": [_CONTAINER], "restartPolicy": "Never"}}


def _job(**spec: Any) -> Any:
    return kubernetes_object("batch/v1", "Job", "fill", spec={"template": _TEMPLATE, **spec})


def _claim(size: str = "100Gi", **spec: Any) -> Any:
    requests = {"requests": {"storage": size}}
    return kubernetes_object(
        "v1", "PersistentVolumeClaim", "data", spec={"resources": requests, "storageClassName": "gp3", **spec}
    )


def test_another_template_of_a_job_replaces_it_and_the_old_one_goes_first() -> None:
    found = changed(
        _job(), lambda inputs: inputs["spec"]["template"]["spec"]["containers"][0].update(image="b:1")
    )
    assert found.operation is Operation.REPLACE
    assert found.deletes_first
    assert list(effects(found).values()) == ["replaces"]
    assert found.reasons == (
        "The provider cannot change spec.template.spec.containers.main.image of a Job in place.",
    )


def test_a_default_written_out_in_a_job_replaces_it_all_the_same() -> None:
    found = changed(_job(), lambda inputs: inputs["spec"].update(parallelism=1))
    assert found.operation is Operation.REPLACE
    assert said(found.fields) == ["spec parallelism: None -> 1"]


def test_a_default_written_out_inside_of_a_jobs_template_replaces_it_unless_it_is_an_empty_value() -> None:
    found = changed(
        _job(), lambda inputs: inputs["spec"]["template"]["spec"].update(dnsPolicy="ClusterFirst")
    )
    assert (found.operation, said(found.fields)) == (
        Operation.REPLACE,
        ["spec template spec dnsPolicy: None -> 'ClusterFirst'"],
    )
    # The provider's Go types leave out what is false or empty, before anything is compared.
    assert no_change(_job(), lambda inputs: inputs["spec"]["template"]["spec"].update(hostNetwork=False))
    assert no_change(_job(), lambda inputs: inputs["spec"]["template"]["spec"].update(tolerations=[]))


def test_an_amount_in_another_spelling_does_not_replace_a_job() -> None:
    container = {**_CONTAINER, "resources": {"limits": {"memory": "1024Mi"}}}
    job = _job(template={"spec": {"containers": [container]}})

    def respell(inputs: dict[str, Any]) -> None:
        inputs["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["memory"] = "1Gi"

    assert no_change(job, respell)


def test_a_jobs_limit_of_attempts_is_changed_in_place_and_its_completion_mode_refused() -> None:
    assert list(effects(changed(_job(), lambda i: i["spec"].update(backoffLimit=2))).values()) == ["in place"]
    found = changed(_job(), lambda inputs: inputs["spec"].update(completionMode="Indexed"))
    assert (found.operation, found.is_refused) == (Operation.UPDATE, True)
    assert found.reasons == ("The API server refuses to change spec.completionMode of a Job.",)


def test_a_refusal_means_nothing_where_another_object_is_made() -> None:
    found = changed(_job(), lambda inputs: inputs["spec"].update(completionMode="Indexed", completions=4))
    assert (found.operation, found.is_refused) == (Operation.REPLACE, False)


def test_another_name_is_another_object_made_before_the_old_one_goes() -> None:
    found = changed(deployment(), lambda inputs: inputs["metadata"].update(name="other"))
    assert (found.operation, found.deletes_first) == (Operation.REPLACE, False)
    assert found.title == "Deployment serving/other"


@pytest.mark.parametrize(
    ("field", "value", "effect"),
    [
        ("replicas", 3, "in place"),
        ("strategy", {"type": "Recreate"}, "in place"),
        ("minReadySeconds", 5, "in place"),
        ("selector", {"matchLabels": {"app": "other"}}, "replaces"),
    ],
)
def test_fields_of_a_deployment_beside_its_template(field: str, value: Any, effect: str) -> None:
    found = changed(deployment(), lambda inputs: inputs["spec"].update({field: value}))
    assert set(effects(found).values()) == {effect}


def test_a_label_of_the_template_restarts_pods_and_one_of_the_deployment_does_not() -> None:
    found = changed(
        deployment(), lambda inputs: inputs["spec"]["template"]["metadata"]["labels"].update(version="2")
    )
    assert list(effects(found).values()) == ["rolls pods"]
    found = changed(deployment(), lambda inputs: inputs["metadata"].update(labels={"version": "2"}))
    assert list(effects(found).values()) == ["in place"]


@pytest.mark.parametrize(
    ("before", "after", "effect"),
    [("100Gi", "200Gi", "in place"), ("100Gi", "50Gi", "refused by the API server")],
)
def test_a_claim_grows_and_never_shrinks(before: str, after: str, effect: str) -> None:
    grown = _claim(before)
    found = changed(grown, lambda inputs: inputs["spec"]["resources"]["requests"].update(storage=after))
    assert list(effects(found).values()) == [effect]


def test_a_claim_without_a_class_does_not_grow() -> None:
    found = changed(
        _claim(storageClassName=""),
        lambda inputs: inputs["spec"]["resources"]["requests"].update(storage="1Ti"),
    )
    assert found.is_refused


def test_a_claim_grows_only_where_the_class_of_its_stack_allows_it() -> None:
    def storage_class(**more: Any) -> Any:
        return kubernetes_object("storage.k8s.io/v1", "StorageClass", "gp3", provisioner="ebs", **more)

    for allowed in (True, False):
        beside = storage_class(allowVolumeExpansion=allowed)
        (found,) = compare([beside, _claim("1Gi")], [beside, _claim("2Gi")])
        assert found.is_refused is not allowed


def test_a_claims_size_that_the_program_ignores_is_no_change() -> None:
    before, after = (replace(_claim(size), ignore_changes=("spec.resources",)) for size in ("100Gi", "200Gi"))
    assert compare([before], [after]) == ()


def test_another_class_replaces_a_claim_whose_data_go_with_it() -> None:
    found = changed(_claim(), lambda inputs: inputs["spec"].update(storageClassName="io2"))
    assert (found.operation, found.deletes_first, found.is_stateful) == (Operation.REPLACE, True, True)


def test_a_protected_object_that_would_be_replaced_is_refused() -> None:
    before = replace(_claim(), protect=True)
    after = with_inputs(
        replace(before, protect=False), lambda inputs: inputs["spec"].update(storageClassName="io2")
    )
    (found,) = compare([before], [after])
    assert found.is_refused
    assert "The engine refuses to replace what is protected." in found.reasons


def test_content_replaces_a_config_map_and_the_old_one_goes_first() -> None:
    start = kubernetes_object("v1", "ConfigMap", "files", data={"a": "1"})
    found = changed(start, lambda inputs: inputs["data"].update(a="2"))
    assert (found.operation, found.deletes_first) == (Operation.REPLACE, True)


@pytest.mark.parametrize(
    ("before", "path", "value"),
    [
        (kubernetes_object("resource.nvidia.com/v1beta1", "ComputeDomain", "domain", spec={"numNodes": 0}),
         "numNodes", 2),
        (kubernetes_object("resource.k8s.io/v1", "ResourceClaimTemplate", "gpus", spec={"spec": {}}),
         "spec", {"devices": {}}),
        (_claim(), "volumeMode", "Block"),
    ],
)  # fmt: skip
def test_what_the_engine_calls_an_update_and_the_api_server_refuses(
    before: Any, path: str, value: Any
) -> None:
    found = changed(before, lambda inputs: inputs["spec"].update({path: value}))
    assert (found.operation, found.is_refused) == (Operation.UPDATE, True)


def test_the_fields_of_a_storage_class() -> None:
    start = kubernetes_object("storage.k8s.io/v1", "StorageClass", "gp3", provisioner="ebs")
    assert changed(start, lambda inputs: inputs.update(reclaimPolicy="Retain")).is_refused
    found = changed(start, lambda inputs: inputs.update(parameters={"type": "io2"}))
    assert found.operation is Operation.REPLACE


def test_the_option_to_replace_creates_first_unless_it_is_told_otherwise() -> None:
    before = replace(
        kubernetes_object("example.com/v1", "Thing", "one", spec={"size": 1}), replace_on_changes=("spec",)
    )
    found = changed(before, lambda inputs: inputs["spec"].update(size=2))
    assert (found.operation, found.deletes_first) == (Operation.REPLACE, False)
    assert found.reasons == ("The program asks for a replacement when spec.size changes (replaceOnChanges).",)
    found = changed(replace(before, delete_before_replace=True), lambda inputs: inputs["spec"].update(size=2))
    assert found.deletes_first
