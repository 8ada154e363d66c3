"""Create: who writes, what is retried, and what an existing object means."""

from tests.lab.conformance.toy import Toy

_WIDGETS = """
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "size": {"type": "integer"}, "share": {"type": "number"}}}}}
    GROUP = NAMESPACE + ".example.com"
    definition = k8s.apiextensions.v1.CustomResourceDefinition("definition",
        metadata={"name": "widgets." + GROUP},
        spec={"group": GROUP, "scope": "Namespaced",
              "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
              "versions": [{"name": "v1", "served": True, "storage": True,
                            "schema": {"open_apiv3_schema": schema}}]})
    widget = k8s.apiextensions.CustomResource("widget", api_version=GROUP + "/v1", kind="Widget",
        metadata=named("widget"), spec={"size": 3, "share": 0.5})
"""


def test_a_create_is_a_post_by_the_manager_pulumi_kubernetes(toy: Toy) -> None:
    toy.up('k8s.core.v1.ConfigMap("c", metadata=named("c"), data={"a": "b"})')
    found = toy.get("configmap", "c", "--show-managed-fields")["metadata"]
    managers = [(entry["manager"], entry["operation"]) for entry in found["managedFields"]]
    assert managers == [("pulumi-kubernetes", "Update")]
    assert "labels" not in found
    assert toy.state("c")["outputs"]["__fieldManager"].startswith("pulumi-kubernetes-")


def test_creating_what_exists_fails_unless_upsert_is_asked_for(toy: Toy) -> None:
    toy.kubectl("create", "configmap", "taken", "--from-literal=theirs=1")
    program = 'k8s.core.v1.ConfigMap("taken", metadata=named("taken"), data={"ours": "2"})'
    output = toy.failing_up(program)
    assert 'configmaps "taken" already exists' in output
    assert "The resource already exists in the cluster." in output
    assert "taken" not in toy.recorded()
    toy.up(variables={"PULUMI_K8S_UPSERT_EXISTING_OBJECTS": "true"})
    assert toy.get("configmap", "taken")["data"] == {"theirs": "1", "ours": "2"}


def test_a_create_waits_for_a_namespace_and_a_definition_that_are_on_their_way(toy: Toy) -> None:
    toy.up(
        _WIDGETS
        + """
    namespace = k8s.core.v1.Namespace("namespace", metadata={"name": NAMESPACE + "-late"})
    k8s.core.v1.ConfigMap("early", metadata={"name": "early", "namespace": NAMESPACE + "-late"})
    """
    )
    widget = toy.get(f"widgets.{toy.namespace}.example.com", "widget")
    # 3 as an integer: the schema would refuse 3.0.
    assert widget["spec"] == {"size": 3, "share": 0.5}


def test_a_field_that_the_kind_does_not_have_is_refused(toy: Toy) -> None:
    output = toy.failing_up("""
        k8s.core.v1.Service("s", metadata=named("s"), spec={"ports": [{"port": 80}], "typo": True})
    """)
    assert 'unknown field "spec.typo"' in output
