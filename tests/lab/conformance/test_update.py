"""Update: server-side apply, its managers and conflicts, and an update that is refused."""

from tests.lab.conformance.toy import Toy

_SERVICE = """
    ports = [{{"name": "http", "port": {port}}}]
    k8s.core.v1.Service("s", metadata=named("s", {annotations}), spec={{"ports": ports}})
"""
_ACCOUNT = """
    k8s.core.v1.ServiceAccount("a", metadata=named("a", {annotations}),
                               automount_service_account_token={mount}, opts=options({options}))
"""
_FOREIGN_ACCOUNT = """
apiVersion: v1
kind: ServiceAccount
metadata: {name: a}
automountServiceAccountToken: false
"""


def _account(mount: str, annotations: str = "{}", options: str = "") -> str:
    return _ACCOUNT.format(mount=mount, annotations=annotations, options=options)


def test_an_update_is_an_apply_that_takes_over_the_fields_of_the_create(toy: Toy) -> None:
    toy.up(_SERVICE.format(port=80, annotations='{"a": "1"}'))
    uid = toy.get("service", "s")["metadata"]["uid"]
    toy.up(_SERVICE.format(port=80, annotations="{}"))
    found = toy.get("service", "s", "--show-managed-fields")["metadata"]
    assert found["uid"] == uid
    managers = [(entry["manager"], entry["operation"]) for entry in found["managedFields"]]
    assert managers == [(toy.state("s")["outputs"]["__fieldManager"], "Apply")]
    # Left out of the inputs, so taken away: the create's manager does not keep it.
    assert "annotations" not in found


def test_a_conflict_with_another_manager_fails_and_patch_force_wins(toy: Toy) -> None:
    toy.up(_account("True"))
    toy.up(_account("True", '{"a": "1"}'))
    toy.kubectl("patch", "serviceaccount", "a", "--field-manager=other", "--type=merge",
                "-p", '{"automountServiceAccountToken": false}')  # fmt: skip
    output = toy.failing_up(_account("True", '{"a": "2"}'))
    assert "server-side apply field conflict detected, see https://www.pulumi.com/" in output
    assert 'had an apply conflict: Apply failed with 1 conflict: conflict with "other"' in output
    toy.up(_account("True", '{"a": "3", "pulumi.com/patchForce": "true"}'))
    assert toy.get("serviceaccount", "a")["automountServiceAccountToken"] is True


def test_what_kubectl_set_is_taken_back_by_an_update_whose_preview_stops(toy: Toy) -> None:
    toy.up(_account("True"))
    toy.up(_account("True", '{"a": "1"}'))
    toy.kubectl("patch", "serviceaccount", "a", "-p", '{"automountServiceAccountToken": false}')
    toy.kubectl("annotate", "serviceaccount", "a", "theirs=1")
    toy.pulumi("refresh", "--yes", "--skip-preview")
    output = toy.failing("preview")
    assert 'conflict with "kubectl-patch" using v1: .automountServiceAccountToken' in output
    toy.up()
    found = toy.get("serviceaccount", "a")
    assert found["automountServiceAccountToken"] is True
    # Taken over with the rest, and not among the inputs.
    assert found["metadata"]["annotations"] == {"a": "1"}


def test_a_preview_forces_while_an_object_is_as_created_and_the_update_then_fails(toy: Toy) -> None:
    toy.up(_account("True", '{"a": "1"}'))
    toy.kubectl("patch", "serviceaccount", "a", "--field-manager=other", "--type=merge",
                "-p", '{"automountServiceAccountToken": false}')  # fmt: skip
    toy.pulumi("refresh", "--yes", "--skip-preview")
    toy.preview()
    assert 'conflict with "other"' in toy.failing_up()


def test_a_refused_update_is_recorded_with_its_error_and_tried_again(toy: Toy) -> None:
    toy.up(_SERVICE.format(port=80, annotations="{}"))
    output = toy.failing_up(_SERVICE.format(port=99999, annotations="{}"))
    assert f'"{toy.namespace}/s" failed to fully initialize or become live' in output
    state = toy.state("s")
    # The engine keeps the old inputs, so that the next update sees a difference.
    assert state["inputs"]["spec"]["ports"][0]["port"] == 80
    assert state["outputs"]["__inputs"]["spec"]["ports"][0]["port"] == 99999
    assert "99999" in state["initErrors"][0]
    assert toy.get("service", "s")["spec"]["ports"][0]["port"] == 80
    toy.up(_SERVICE.format(port=81, annotations="{}"))
    assert toy.get("service", "s")["spec"]["ports"][0]["port"] == 81
    assert "initErrors" not in toy.state("s")


def test_an_ignored_field_stays_with_its_foreign_owner(toy: Toy) -> None:
    toy.up(_account("True"))
    toy.up(_account("True", '{"a": "1"}'))
    manifest = toy.folder / "account.yaml"
    manifest.write_text(_FOREIGN_ACCOUNT)
    toy.kubectl("apply", "--server-side", "--force-conflicts", "--field-manager=other", "-f", str(manifest))
    ignored = 'ignore_changes=["automountServiceAccountToken"]'
    toy.up(_account("True", '{"a": "2"}', ignored))
    found = toy.get("serviceaccount", "a")
    assert found["automountServiceAccountToken"] is False
    assert found["metadata"]["annotations"] == {"a": "2"}
