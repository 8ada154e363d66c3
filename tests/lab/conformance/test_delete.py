"""Delete: what goes with an object, and when it counts as gone."""

from tests.lab.conformance.toy import POD, Toy


def test_a_delete_waits_until_object_and_dependents_are_gone(toy: Toy) -> None:
    toy.up(POD + 'k8s.apps.v1.Deployment("d", metadata=named("d"), spec=workload("d"))')
    assert toy.get("pods")["items"]
    toy.destroy()
    assert toy.get("deployments,replicasets,pods")["items"] == []


def test_a_finalizer_that_nobody_removes_ends_the_delete_with_a_warning(toy: Toy) -> None:
    toy.up("""
        metadata = {**named("c", {"pulumi.com/timeoutSeconds": "1"}), "finalizers": ["toys.example.com/wait"]}
        k8s.core.v1.ConfigMap("c", metadata=metadata)
    """)
    output = toy.failing("destroy", "--yes", "--skip-preview")
    assert "finalizers might be preventing deletion (toys.example.com/wait)" in output
    assert "timed out waiting for the condition" in output
    assert "c" in toy.recorded()
    toy.kubectl("patch", "configmap", "c", "--type=merge", "--patch", '{"metadata": {"finalizers": null}}')
    # Gone by now, and that is fine.
    toy.destroy()
    assert toy.recorded() == set()


def test_an_object_whose_definition_is_gone_counts_as_deleted(toy: Toy) -> None:
    toy.up("""
        group = NAMESPACE + ".example.com"
        schema = {"open_apiv3_schema": {"type": "object"}}
        version = {"name": "v1", "served": True, "storage": True, "schema": schema}
        definition = k8s.apiextensions.v1.CustomResourceDefinition("definition",
            metadata={"name": "toys." + group},
            spec={"group": group, "scope": "Namespaced", "versions": [version],
                  "names": {"plural": "toys", "singular": "toy", "kind": "Toy"}},
            opts=options(retain_on_delete=True))
        k8s.apiextensions.CustomResource("toy", api_version=group + "/v1", kind="Toy", metadata=named("toy"),
                                         opts=options(depends_on=[definition]))
    """)
    toy.kubectl("delete", "customresourcedefinition", f"toys.{toy.namespace}.example.com")
    toy.destroy()
    assert toy.recorded() == set()
