"""The data of what replaces a resource, held against the lab's providers, which were read apart from it."""

import importlib

from comparison.engine_verdicts.resource_types import IDENTITY, resource_types
from lab.aws_provider.catalogue import TYPES
from lab.kubernetes_provider.forced_replacement import _PATHS, forcing_paths

_ACCOUNT = {name: known for name, known in resource_types().items() if name.startswith("aws:")}
_OBJECTS = {name: known for name, known in resource_types().items() if ":" not in name}
# Nobody registers these two.
_KINDS = sorted(
    {*_OBJECTS, *(f"{kind}.{group}".rstrip(".") for group, kind in _PATHS)} - {"Pod", "ResourceQuota"}
)


def _class(resource_type: str) -> type:
    """Of pulumi-aws."""
    _, module, name = resource_type.split(":")
    found: type = getattr(importlib.import_module(f"pulumi_aws.{module.partition('/')[0]}"), name)
    return found


def _of_the_lab() -> dict[str, set[str]]:
    return {
        token: {name for name, each in kind.inputs.items() if each.replaces}
        | {f"{name}.{key}" for name, each in kind.inputs.items() for key in each.replaced_keys}
        for token, kind in TYPES.items()
    }


def test_the_data_names_the_inputs_that_the_labs_provider_of_aws_replaces_for() -> None:
    ours = {
        token: {
            name
            for name in (_ACCOUNT[token].replaced_for if token in _ACCOUNT else ())
            if name.split(".")[0] in kind.inputs
        }
        for token, kind in TYPES.items()
    }
    assert ours == _of_the_lab()


def test_what_bears_tags_is_what_has_all_of_its_tags_as_an_output() -> None:
    tagged = {name for name, known in _ACCOUNT.items() if known.is_tagged}
    others = {name for name, known in _ACCOUNT.items() if known.is_stateful and not known.replaced_for}
    kinds = {*_of_the_lab(), *_ACCOUNT} - others
    assert tagged == {kind for kind in kinds if hasattr(_class(kind), "tags_all")}


def test_the_data_names_the_fields_that_the_labs_kubernetes_provider_replaces_for() -> None:
    ours = {kind: sorted((*IDENTITY, *resource_types()[kind].replaced_for)) for kind in _KINDS}
    assert ours == {kind: _fields_of_the_lab(kind) for kind in _KINDS}


def _fields_of_the_lab(kind: str) -> list[str]:
    name, _, group = kind.partition(".")
    inputs = {"apiVersion": f"{group}/v1" if group else "v1", "kind": name}
    paths = forcing_paths(inputs)
    return sorted(path.removeprefix(".").replace("[*]", ".*") for path in paths)
