"""Which layers a stack may own, and what is said of a division that cannot work."""

from typing import Any

import pytest

from tests.stacks.plan.layers.settings import BASE, PLATFORM, layered, on_existing_cluster
from tests.support.dev_settings import FILE, disagg_b200_settings, problems_of, resolved
from tests.support.eks_settings import eks_b200_settings

ALL = ("infrastructure", "platform", "serving")


def said(settings: dict[str, Any]) -> str:
    return "\n".join(problem.text(FILE) for problem in problems_of(settings))


def test_without_layers_a_stack_has_everything_joins_nobody_and_shares_nothing() -> None:
    layers = resolved(eks_b200_settings()).layers
    assert (layers.own, dict(layers.joined), layers.shared) == (ALL, {}, ())


def test_a_cluster_and_a_platform_that_exist_are_nobody_s_layers() -> None:
    assert resolved(disagg_b200_settings()).layers.own == ("platform", "serving")
    settings = disagg_b200_settings()
    settings["platform"] = {"kind": "existing", "version": "1.2.1"}
    assert resolved(settings).layers.own == ("serving",)


@pytest.mark.parametrize(
    ("layers", "joined"),
    [
        (ALL, {}),
        (("infrastructure",), {}),
        (("infrastructure", "platform"), {}),
        (("platform",), {"infrastructure": BASE}),
        (("platform", "serving"), {"infrastructure": BASE}),
        (("serving",), {"infrastructure": BASE, "platform": PLATFORM}),
    ],
)
def test_neighbouring_layers_are_owned_together_and_those_below_are_joined(
    layers: tuple[str, ...], joined: dict[str, str]
) -> None:
    found = resolved(layered(*layers)).layers
    assert found.own == layers
    assert {layer: each.stack for layer, each in found.joined.items()} == joined
    assert [contract.layer for contract in found.shared] == [each for each in layers if each != "serving"]


def test_the_order_in_which_layers_are_typed_means_nothing() -> None:
    assert resolved(layered("platform", "infrastructure") | {"layerStacks": {}}).layers.own == ALL[:2]


@pytest.mark.parametrize("layers", [("platform",), ("serving",), ("platform", "serving")])
def test_on_a_cluster_that_exists_platform_and_serving_can_be_two_teams_too(layers: tuple[str, ...]) -> None:
    stack = resolved(on_existing_cluster(*layers))
    assert stack.layers.own == layers
    assert (stack.platform.kind == "own") == ("platform" in layers)


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
            on_existing_cluster("serving") | {"platform": {"kind": "existing", "version": "1.2.1"}},
            "platform.kind existing somebody outside this project runs the platform\n  try: leave it out",
        ),
        (eks_b200_settings() | {"layers": []}, "allowed: at least 1 item"),
        (eks_b200_settings() | {"layers": ["network"]}, "infrastructure, platform or serving"),
        (
            layered("platform", layerStacks={"infrastructure": "acme/dynamo-stack/base"}),
            "a stack of this project, without organization and project",
        ),
    ],
)
def test_a_division_that_cannot_work_is_refused_with_what_can(settings: dict[str, Any], says: str) -> None:
    assert says in said(settings)


def test_only_what_is_below_a_stack_s_layers_is_left_to_the_cluster_when_it_goes() -> None:
    kinds = {
        layers: {item.kind for item in resolved(layered(*layers)).retained}
        for layers in (("infrastructure",), ("platform",), ("serving",))
    }
    assert kinds["serving",] == set()
    assert kinds["platform",] == {"Lease", "CustomResourceDefinition"}
    assert kinds["infrastructure",] == {"KMS key", "Log group"}
