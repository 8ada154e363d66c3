"""The table of inputs that replace, held against the lab's AWS provider, which was read apart from it."""

from __future__ import annotations

import importlib
import pkgutil

from comparison.engine_verdicts.aws_tables import CAPACITY_BLOCK, REPLACED, TAGGED
from lab.aws_provider import catalogue
from lab.aws_provider.resource_type import ResourceType


def _class(resource_type: str) -> type:
    """Of pulumi-aws."""
    _, module, name = resource_type.split(":")
    found: type = getattr(importlib.import_module(f"pulumi_aws.{module.partition('/')[0]}"), name)
    return found


def _of_the_lab() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for module in pkgutil.iter_modules(catalogue.__path__):
        for kind in vars(importlib.import_module(f"{catalogue.__name__}.{module.name}")).values():
            if isinstance(kind, ResourceType):
                whole = {name for name, each in kind.inputs.items() if each.replaces}
                inside = {f"{name}.{key}" for name, each in kind.inputs.items() for key in each.replaced_keys}
                found[kind.pulumi_type] = whole | inside
    return found


def test_the_table_names_the_inputs_that_the_labs_provider_replaces_for() -> None:
    theirs = _of_the_lab()
    ours = {kind: {".".join(steps) for steps in REPLACED.get(kind, ())} for kind in theirs}
    assert ours == theirs
    # Of what the lab does not serve, only this one is in the table.
    assert REPLACED.keys() - theirs.keys() == {CAPACITY_BLOCK}


def test_what_bears_tags_is_what_has_all_of_its_tags_as_an_output() -> None:
    kinds = {*_of_the_lab(), *TAGGED, *REPLACED}
    assert {*TAGGED} == {kind for kind in kinds if hasattr(_class(kind), "tags_all")}
