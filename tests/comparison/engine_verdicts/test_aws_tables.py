"""The table of inputs that replace, held against the lab's AWS provider, as far as that serves them."""

from __future__ import annotations

import importlib

from comparison.engine_verdicts.aws_tables import REPLACED, TAGGED
from lab.aws_provider.catalogue import TYPES


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


def test_the_table_names_the_inputs_that_the_labs_provider_replaces_for() -> None:
    ours = {
        token: {".".join(steps) for steps in REPLACED.get(token, ()) if steps[0] in kind.inputs}
        for token, kind in TYPES.items()
    }
    assert ours == _of_the_lab()


def test_what_bears_tags_is_what_has_all_of_its_tags_as_an_output() -> None:
    kinds = {*_of_the_lab(), *TAGGED, *REPLACED}
    assert {*TAGGED} == {kind for kind in kinds if hasattr(_class(kind), "tags_all")}
