"""The order in which a node group is replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pulumi_aws as aws

from operations.project import recorded_stack
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings

if TYPE_CHECKING:
    import pytest


def test_a_node_group_goes_before_the_one_that_takes_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    class Watched(aws.eks.NodeGroup):
        def __init__(self, name: str, **named: Any) -> None:
            seen[name] = named["opts"]
            super().__init__(name, **named)

    monkeypatch.setattr(aws.eks, "NodeGroup", Watched)
    recorded_stack(resolved(eks_b200_settings()))
    assert len(seen) > 1
    # The engine must know it without asking the provider, which it does not do where nothing has changed.
    assert {name: options.delete_before_replace for name, options in seen.items()} == dict.fromkeys(
        seen, True
    )
