"""Which layers a stack may own, and what is said of a division that cannot work."""

from typing import Any

import pytest

from tests.stacks.changed_settings import said
from tests.stacks.plan.layers.settings import ALL, BASE, PLATFORM, layered, on_existing_cluster
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings

EXISTING_PLATFORM = {"platform": {"kind": "existing", "version": "1.2.1"}}


@pytest.mark.parametrize(
    ("settings", "own", "joined", "shared"),
    [
        # Without layers a stack has everything, joins nobody and shares nothing.
        (eks_b200_settings(), "infrastructure, platform, serving", {}, ""),
        # A cluster and a platform that exist are nobody's layers.
        (disagg_b200_settings(), "platform, serving", {}, ""),
        (disagg_b200_settings() | EXISTING_PLATFORM, "serving", {}, ""),
        (layered(*ALL), "infrastructure, platform, serving", {}, "infrastructure, platform"),
        (layered("infrastructure"), "infrastructure", {}, "infrastructure"),
        (layered("infrastructure", "platform"), "infrastructure, platform", {}, "infrastructure, platform"),
        # In any order.
        (
            layered("infrastructure") | {"layers": ["platform", "infrastructure"]},
            "infrastructure, platform",
            {},
            "infrastructure, platform",
        ),
        (layered("platform"), "platform", {"infrastructure": BASE}, "platform"),
        (layered("platform", "serving"), "platform, serving", {"infrastructure": BASE}, "platform"),
        (layered("serving"), "serving", {"infrastructure": BASE, "platform": PLATFORM}, ""),
        # On a cluster that exists platform and serving can be two teams too.
        (on_existing_cluster("platform"), "platform", {}, "platform"),
        (on_existing_cluster("serving"), "serving", {"platform": PLATFORM}, ""),
    ],
)
def test_neighbouring_layers_are_owned_together_and_those_below_are_joined(
    settings: dict[str, Any], own: str, joined: dict[str, str], shared: str
) -> None:
    found = resolved(settings).layers
    assert ", ".join(found.own) == own
    assert {layer: each.stack for layer, each in found.joined.items()} == joined
    assert ", ".join(contract.layer for contract in found.shared) == shared


def test_a_layer_of_another_stack_is_to_this_one_like_something_that_exists() -> None:
    stack = resolved(layered("serving"))
    assert (stack.infrastructure, stack.platform.kind) == (None, "existing")
    assert stack.cluster.kind == "eks"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (layered("infrastructure", "serving"), "neither could go first"),
        (layered("serving", "serving"), "a layer stands there twice"),
        (
            layered("serving", layerStacks={"infrastructure": BASE}),
            "which stack of this project owns the platform?",
        ),
        (layered("platform", layerStacks={}), "which stack of this project owns the infrastructure?"),
        (layered("platform", layerStacks={"infrastructure": "dev"}), "is this stack itself"),
        (
            layered("infrastructure", layerStacks={"platform": PLATFORM}),
            "nothing in this stack stands on the platform",
        ),
        (
            layered("platform", layerStacks={"infrastructure": BASE, "platform": "x"}),
            "owns the platform itself",
        ),
        (
            disagg_b200_settings() | {"layers": ["infrastructure"]},
            "with cluster.kind existing there is no infrastructure to own\n  allowed: [platform, serving]",
        ),
        (
            on_existing_cluster("serving") | EXISTING_PLATFORM,
            "platform.kind existing somebody outside this project runs the platform\n  try: leave it out",
        ),
        (eks_b200_settings() | {"layers": []}, "allowed: at least 1"),
        (eks_b200_settings() | {"layers": ["network"]}, "infrastructure, platform or serving"),
        (
            layered("platform", layerStacks={"infrastructure": "acme/dynamo-stack/base"}),
            "a stack of this project, without organization and project",
        ),
    ],
)
def test_a_division_that_cannot_work_is_refused_with_what_can(settings: dict[str, Any], says: str) -> None:
    assert says in said(settings)


@pytest.mark.parametrize(
    ("layer", "kinds"),
    [
        ("infrastructure", {"KMS key", "Log group"}),
        ("platform", {"Lease", "CustomResourceDefinition"}),
        ("serving", set[str]()),
    ],
)
def test_what_a_layer_leaves_when_it_goes_is_left_by_its_own_stack(layer: str, kinds: set[str]) -> None:
    assert {item.kind for item in resolved(layered(layer)).retained} == kinds
