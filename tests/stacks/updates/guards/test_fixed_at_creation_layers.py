"""The layers of a stack, once it is there."""

import pytest

from stacks.updates.guards.fixed_at_creation import changed_problems, fixed_values
from tests.stacks.changed_settings import Settings, changed
from tests.stacks.plan.layers.settings import ALL, layered, on_existing_cluster
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings


def _said(before: Settings, now: Settings) -> list[str]:
    problems = changed_problems(fixed_values(resolved(before)), fixed_values(resolved(now)))
    return [problem.text("Pulumi.dev.yaml") for problem in problems]


@pytest.mark.parametrize(
    ("before", "now", "says"),
    [
        (
            eks_b200_settings(),
            layered("infrastructure", "platform"),
            "infrastructure, platform'\n  fixed at infrastructure, platform, serving",
        ),
        (layered("platform"), layered("platform", "serving"), "platform, serving'\n  fixed at platform"),
        (layered("serving"), layered("platform", "serving"), "platform, serving'\n  fixed at serving"),
        (
            disagg_b200_settings(),
            on_existing_cluster("platform"),
            "platform'\n  fixed at platform, serving",
        ),
    ],
)
def test_a_layer_that_comes_or_goes_is_one_problem_with_a_way_out(
    before: Settings, now: Settings, says: str
) -> None:
    [text] = [each for each in _said(before, now) if ": layers = " in each]
    assert f"Pulumi.dev.yaml: layers = '{says} when this stack was created" in text
    assert "pulumi destroy` of the stacks that joined this one, those above first" in text
    assert "without an interruption instead: this stack keeps what it has" in text


@pytest.mark.parametrize(
    ("before", "now"),
    [
        pytest.param(eks_b200_settings(), layered(*ALL), id="a stack with everything begins to share it"),
        pytest.param(
            layered("platform"),
            layered("platform", layerStacks={"infrastructure": "base-of-all"}),
            id="the owner has another name",
        ),
    ],
)
def test_layers_that_stay_with_their_stack_are_no_change(before: Settings, now: Settings) -> None:
    assert _said(before, now) == []


def test_a_stack_fixes_of_other_layers_only_which_they_are() -> None:
    serving = fixed_values(resolved(layered("serving")))
    assert {"cluster.name", "cluster.region", "modelCache.storage.kind"} <= serving.keys()
    assert not {"cluster.network.zones", "platform.nats.members", "platform.discovery"} & serving.keys()
    infrastructure = fixed_values(resolved(layered("infrastructure")))
    assert not any(key.startswith("platform.") for key in infrastructure)


def test_on_another_cluster_nothing_of_a_joined_stack_would_be_there() -> None:
    [text] = _said(layered("serving"), changed(layered("serving"), {"cluster.name": "other"}))
    assert "cluster.name = 'other'\n  fixed at gpt-oss" in text


def test_a_cluster_of_another_kind_says_nothing_of_layers() -> None:
    assert not any(": layers" in text for text in _said(eks_b200_settings(), disagg_b200_settings()))
