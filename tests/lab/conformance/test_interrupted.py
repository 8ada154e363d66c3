"""What a killed run leaves in state and cluster, and what clears it: `dynamo-stack recover` relies on it."""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING, Any

from tests.lab.conformance.charts import write_chart
from tests.lab.conformance.toy import STACK, checkpoint_of

if TYPE_CHECKING:
    from tests.lab.conformance.toy import Toy

_UPSERT = {"PULUMI_K8S_UPSERT_EXISTING_OBJECTS": "true"}
_TWO = """
    k8s.core.v1.ConfigMap("one", metadata=named("one"), data={"a": "1"})
    k8s.core.v1.ConfigMap("two", metadata=named("two"), data={"a": "2"})
"""
_RELEASE = (
    'k8s.helm.v3.Release("toy", name="toy", namespace=NAMESPACE, chart={!r}, values={}, skip_await=True)'
)


def test_a_lock_refuses_an_update_until_it_is_cancelled(toy: Toy) -> None:
    locks = toy.lab.directory.backend / ".pulumi" / "locks" / "organization" / toy.name / STACK
    locks.mkdir(parents=True)
    holder = {"pid": 7, "username": "ada", "hostname": "ci-7", "timestamp": "2026-11-21T16:00:00Z"}
    (locks / "left.json").write_text(json.dumps(holder))
    assert "created by ada@ci-7 (pid 7) at 2026-11-21T16:00:00Z" in toy.failing_up("")
    # The one command that shows the lock and changes nothing.
    shown = toy.lab.pulumi("stack", "init", STACK, "--no-select", cwd=toy.folder, check=False)
    assert "created by ada@ci-7 (pid 7)" in shown.stderr
    toy.pulumi("cancel", "--yes")
    shown = toy.lab.pulumi("stack", "init", STACK, "--no-select", cwd=toy.folder, check=False)
    assert "already exists" in shown.stderr
    toy.up()


def test_a_refresh_drops_pending_updates_and_deletes_and_creates_only_when_told_to(toy: Toy) -> None:
    toy.up(_TWO)
    one, two = toy.state("one"), toy.state("two")
    three = {**one, "urn": one["urn"].replace("::one", "::three")}
    operations = [("updating", one), ("deleting", two), ("creating", three)]
    _edit_state(toy, pending_operations=[{"type": kind, "resource": each} for kind, each in operations])
    toy.pulumi("refresh", "--yes", "--skip-preview")
    assert _pending(toy) == ["creating"]
    toy.up()
    assert _pending(toy) == ["creating"]
    toy.pulumi("refresh", "--yes", "--skip-preview", "--clear-pending-creates")
    assert _pending(toy) == []
    assert toy.recorded() == {"one", "two"}


def test_upsert_takes_over_what_exists_and_stays_out_of_the_state_when_the_sdk_does_not_see_it(
    toy: Toy,
) -> None:
    program = """
        import os
        hidden = {hidden}
        if hidden:
            os.environ.pop("PULUMI_K8S_UPSERT_EXISTING_OBJECTS", None)
        provider = k8s.Provider("provider")
        k8s.core.v1.ConfigMap("c", metadata=named("c"), data={{"a": "1"}}, opts=options(provider=provider))
    """
    toy.kubectl("create", "configmap", "c")
    toy.up(program.format(hidden=True), variables=_UPSERT)
    assert toy.get("configmap", "c")["data"] == {"a": "1"}
    assert "upsertExistingObjects" not in toy.state("provider")["inputs"]
    toy.pulumi("preview", "--expect-no-changes")
    # The SDK copies the variable into the provider's inputs, and the next run finds a change there.
    toy.up(program.format(hidden=False), variables=_UPSERT)
    assert toy.state("provider")["inputs"]["upsertExistingObjects"] == "true"
    assert toy.pulumi("preview", "--expect-no-changes", check=False).returncode != 0


def test_a_take_over_conflicts_with_the_create_itself_until_its_fields_are_let_go(toy: Toy) -> None:
    # Stands for a webhook that changed what was created: the create owns a value that the program has not.
    toy.kubectl("create", "configmap", "c", "--from-literal=a=webhook", "--field-manager=pulumi-kubernetes")
    toy.kubectl("label", "configmap", "c", "seen=yes", "--field-manager=operator")
    program = 'k8s.core.v1.ConfigMap("c", metadata=named("c"), data={"a": "program"})'
    refused = toy.failing_up(program, variables=_UPSERT)
    assert 'conflict with "pulumi-kubernetes" using v1: .data.a' in refused
    entries = toy.get("configmap", "c", "--show-managed-fields")["metadata"]["managedFields"]
    place = [entry["manager"] for entry in entries].index("pulumi-kubernetes")
    patch = [{"op": "remove", "path": f"/metadata/managedFields/{place}"}]
    toy.kubectl("patch", "configmap", "c", "--type=json", f"--patch={json.dumps(patch)}")
    toy.up(variables=_UPSERT)
    assert toy.get("configmap", "c")["data"] == {"a": "program"}


def test_a_release_left_pending_by_an_upgrade_goes_back_and_one_left_by_an_install_cannot(toy: Toy) -> None:
    chart = str(write_chart(toy.folder / "chart"))
    toy.up(_RELEASE.format(chart, {}))
    _set_release_status(toy, 1, "pending-install")
    refused = toy.lab.run("helm", "--namespace", toy.namespace, "rollback", "toy", check=False)
    assert "release has no 0 version" in refused.stderr
    _set_release_status(toy, 1, "deployed")
    toy.up(_RELEASE.format(chart, {"greeting": "again"}))
    _set_release_status(toy, 2, "pending-upgrade")
    again = _RELEASE.format(chart, {"greeting": "new"})
    assert "another operation (install/upgrade/rollback) is in progress" in toy.failing_up(again)
    toy.lab.run("helm", "--namespace", toy.namespace, "rollback", "toy", "1")
    toy.up(again)
    assert toy.get("configmap", "toy")["data"] == {"greeting": "new"}


def test_an_installed_release_that_the_state_does_not_know_is_imported_and_never_taken_over(toy: Toy) -> None:
    chart = str(write_chart(toy.folder / "chart"))
    toy.lab.run("helm", "--namespace", toy.namespace, "install", "toy", chart)
    program = _RELEASE.format(chart, {})
    assert "cannot re-use a name that is still in use" in toy.failing_up(program, variables=_UPSERT)
    options = ("--protect=false", "--generate-code=false", "--skip-preview", "--yes")
    toy.pulumi("import", "kubernetes:helm.sh/v3:Release", "toy", f"{toy.namespace}/toy", *options)
    toy.up(program)
    toy.pulumi("preview", "--expect-no-changes")


def _edit_state(toy: Toy, **changes: Any) -> None:
    file = checkpoint_of(toy.lab, toy.name)
    content = json.loads(file.read_text())
    content["checkpoint"]["latest"].update(changes)
    file.write_text(json.dumps(content))


def _pending(toy: Toy) -> list[str]:
    latest = json.loads(checkpoint_of(toy.lab, toy.name).read_text())["checkpoint"]["latest"]
    return [each["type"] for each in latest.get("pending_operations") or []]


def _set_release_status(toy: Toy, revision: int, status: str) -> None:
    name = f"sh.helm.release.v1.toy.v{revision}"
    encoded = toy.get("secret", name)["data"]["release"]
    release = json.loads(gzip.decompress(base64.b64decode(base64.b64decode(encoded))))
    release["info"]["status"] = status
    packed = base64.b64encode(gzip.compress(json.dumps(release).encode()))
    data = {"release": base64.b64encode(packed).decode()}
    patch = json.dumps({"metadata": {"labels": {"status": status}}, "data": data})
    toy.kubectl("patch", "secret", name, "--patch", patch)
