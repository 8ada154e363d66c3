"""What a killed run leaves in state and cluster, and what clears it: `dynamo-stack recover` relies on it."""

import json

from tests.lab.conformance.toy import Toy

_UPSERT = {"PULUMI_K8S_UPSERT_EXISTING_OBJECTS": "true"}


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
