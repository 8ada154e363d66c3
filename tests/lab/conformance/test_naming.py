"""Types, inputs, names and namespaces: what Check accepts and fills in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.lab.conformance.toy import Toy


def test_a_type_that_the_sdk_does_not_have_is_refused(toy: Toy) -> None:
    output = toy.failing_up("""
        pulumi.CustomResource("kubernetes:core/v1:ConfigMop", "wrong", {"metadata": named("wrong")})
    """)
    assert 'unrecognized resource type: "kubernetes:core/v1:ConfigMop"' in output


def test_an_input_that_the_kind_does_not_have_is_refused(toy: Toy) -> None:
    output = toy.failing_up("""
        wrong = {"apiVersion": "v1", "kind": "Secret", "metadata": named("wrong"), "dota": {"a": "b"}}
        pulumi.CustomResource("kubernetes:core/v1:ConfigMap", "wrong", wrong)
    """)
    assert "unknown input property 'dota'" in output
    assert "expected kind 'ConfigMap'" in output


def test_an_object_without_a_name_is_named_after_its_resource_and_keeps_the_name(toy: Toy) -> None:
    program = """
        ports = [{{"port": {port}}}]
        k8s.core.v1.Service("web", metadata={{"namespace": NAMESPACE}}, spec={{"ports": ports}})
    """
    toy.up(program.format(port=80))
    name = toy.state("web")["outputs"]["metadata"]["name"]
    assert re.fullmatch(r"web-[0-9a-f]{8}", name)
    assert toy.get("service", name)["metadata"]["annotations"]["pulumi.com/autonamed"] == "true"
    toy.up(program.format(port=81))
    assert toy.get("service", name)["spec"]["ports"][0]["port"] == 81


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


def test_generate_name_is_refused(toy: Toy) -> None:
    output = toy.failing_up("""
        k8s.core.v1.ConfigMap("generated", metadata={"generate_name": "x-", "namespace": NAMESPACE})
    """)
    assert "`.metadata.generateName` field is not supported in Server-Side Apply mode" in output
