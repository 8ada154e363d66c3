"""Types, inputs, names and namespaces: what Check accepts and fills in."""

from tests.lab.conformance.toy import Toy


def test_an_object_without_a_name_is_refused(toy: Toy) -> None:
    for metadata in ('"namespace": NAMESPACE', '"generate_name": "x-"'):
        output = toy.failing_up(f"""k8s.core.v1.ConfigMap("c", metadata={{{metadata}}})""")
        assert "give metadata.name: this stand-in makes no names" in output


def test_the_namespace_is_the_objects_else_the_providers_else_default(toy: Toy) -> None:
    toy.up("""
        provider = k8s.Provider("in-namespace", namespace=NAMESPACE)
        k8s.core.v1.ConfigMap("own", metadata={"name": NAMESPACE, "namespace": "kube-public"},
                              opts=options(provider=provider))
        k8s.core.v1.ConfigMap("providers", metadata={"name": NAMESPACE}, opts=options(provider=provider))
        k8s.core.v1.ConfigMap("default", metadata={"name": NAMESPACE})
        k8s.core.v1.Namespace("scope", metadata={"name": NAMESPACE + "-scope"},
                              opts=options(provider=provider))
    """)
    ids = {name: toy.state(name)["id"] for name in ("own", "providers", "default", "scope")}
    name = toy.namespace
    assert ids == {
        "own": f"kube-public/{name}",
        "providers": f"{name}/{name}",
        "default": f"default/{name}",
        "scope": f"{name}-scope",
    }
    assert toy.state("providers")["inputs"]["metadata"]["namespace"] == name
