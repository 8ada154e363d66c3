from __future__ import annotations

import re
from typing import Any

import pytest

from lab.kubernetes_provider.naming import (
    Autonaming,
    NamingError,
    adopt_old_name,
    assign_name,
    namespace_and_name,
    resource_id,
    unique_name,
)
from lab.kubernetes_provider.values import UNKNOWN


def test_a_name_is_the_resources_name_and_eight_digits_fixed_by_the_seed() -> None:
    assert re.fullmatch(r"web-[0-9a-f]{8}", unique_name("web", b""))
    assert unique_name("web", b"seed") == unique_name("web", b"seed") != unique_name("web", b"other")


def test_only_an_object_without_any_name_is_named() -> None:
    for metadata in ({"name": "own"}, {"generateName": "own-"}, {"name": UNKNOWN}):
        inputs = {"metadata": dict(metadata)}
        assign_name(inputs, "web", b"", Autonaming())
        assert inputs == {"metadata": metadata}
    unknown = {"metadata": UNKNOWN}
    assign_name(unknown, "web", b"", Autonaming())
    assert unknown == {"metadata": UNKNOWN}
    nameless: dict[str, Any] = {}
    assign_name(nameless, "web", b"seed", Autonaming())
    assert nameless == {
        "metadata": {"name": unique_name("web", b"seed"), "annotations": {"pulumi.com/autonamed": "true"}}
    }


def test_the_stacks_autonaming_setting_decides_over_the_name() -> None:
    inputs: dict[str, Any] = {}
    assign_name(inputs, "web", b"", Autonaming(name="web-dev"))
    assert inputs["metadata"]["name"] == "web-dev"
    with pytest.raises(NamingError, match="automatic naming is disabled"):
        assign_name({}, "web", b"", Autonaming(forbidden=True))


def test_only_an_automatic_name_is_kept_when_none_is_given_any_more() -> None:
    automatic = {"metadata": {"name": "web-1", "annotations": {"pulumi.com/autonamed": "true"}}}
    inputs: dict[str, Any] = {}
    adopt_old_name(inputs, automatic)
    assert inputs == automatic
    chosen: dict[str, Any] = {}
    adopt_old_name(chosen, {"metadata": {"name": "web"}})
    assert chosen == {}


def test_an_id_is_namespace_and_name_and_can_be_taken_apart() -> None:
    assert resource_id({"metadata": {"name": "n", "namespace": "s"}}) == "s/n"
    assert resource_id({"metadata": {"name": "n"}}) == "n"
    assert namespace_and_name("s/n") == ("s", "n")
    assert namespace_and_name("n") == ("", "n")
