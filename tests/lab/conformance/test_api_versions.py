"""One object under another API version of its kind: an alias makes it the same resource to the engine."""

from tests.lab.conformance.toy import Toy

_DEFINITION = """
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "size": {"type": "integer"}, "old": {"type": "integer"}}}}}
    GROUP = NAMESPACE + ".example.com"
    definition = k8s.apiextensions.v1.CustomResourceDefinition("definition",
        metadata={"name": "gadgets." + GROUP},
        spec={"group": GROUP, "scope": "Namespaced",
              "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget"},
              "versions": [{"name": name, "served": True, "storage": name == "v1alpha1",
                            "schema": {"open_apiv3_schema": schema}}
                           for name in ("v1alpha1", "v1beta1")]})
"""
_GADGET = """
    k8s.apiextensions.CustomResource("gadget", api_version=GROUP + "/{version}", kind="Gadget",
        metadata={{"name": "gadget", "namespace": NAMESPACE}}, spec={spec},
        opts=options(depends_on=[definition]{more}))
"""
_ALIAS = ', aliases=[pulumi.Alias(type_="kubernetes:" + GROUP + "/v1alpha1:Gadget")]'


_OLD = _DEFINITION + _GADGET.format(version="v1alpha1", spec='{"size": 1, "old": 2}', more="")


def _new(more: str) -> str:
    return _DEFINITION + _GADGET.format(version="v1beta1", spec='{"size": 3}', more=more)


def test_with_an_alias_an_object_is_updated_in_place_at_its_other_api_version(toy: Toy) -> None:
    toy.up(_OLD)
    kind = f"gadgets.v1beta1.{toy.namespace}.example.com"
    before = toy.get(kind, "gadget")["metadata"]["uid"]
    program = _new(_ALIAS)
    seen = toy.preview(program)
    assert "~ 1 to update" in seen, seen
    assert "replace" not in seen
    toy.up()
    found = toy.get(kind, "gadget")
    assert found["metadata"]["uid"] == before
    # Left out of the inputs, so taken away, although it was written at the other version.
    assert found["spec"] == {"size": 3}
    state = toy.state("gadget")
    assert f"kubernetes:{toy.namespace}.example.com/v1beta1:Gadget" in state["urn"]
    assert state["outputs"]["apiVersion"].endswith("/v1beta1")
    assert "no changes" in toy.preview() or "unchanged" in toy.preview()
    assert not toy.drift()
