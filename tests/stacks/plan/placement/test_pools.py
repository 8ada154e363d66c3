"""Pools that the scheduler has to tell apart, and what contradicts an instance type."""

import pytest

from tests.stacks.changed_settings import Settings, changed, said
from tests.support.dev_settings import disagg_b200_settings, resolved

SERVING = {"example.com/use": "serving"}


def _two_pools(one: dict[str, str], other: dict[str, str], *kinds: str) -> Settings:
    types = kinds or ("p6-b200.48xlarge",) * 2
    pools = [
        {"name": name, "instanceType": kind, "nodes": 1, "labels": labels}
        for name, kind, labels in zip(("b200", "spare"), types, (one, other), strict=True)
    ]
    return changed(disagg_b200_settings(), {"nodePools": pools})


@pytest.mark.parametrize(
    ("settings", "product"),
    [
        (_two_pools({}, {}), "B200"),
        (_two_pools(SERVING, {}), "B200"),
        (_two_pools(SERVING, SERVING), "B200"),
        # A node may carry both labels.
        (_two_pools(SERVING, {"example.com/team": "batch"}), "B200"),
        # Two instance types with the same GPU are one pool to the scheduler.
        (_two_pools({}, {}, "p5en.48xlarge", "p5e.48xlarge"), "H200"),
    ],
)
def test_two_pools_that_one_node_could_be_in_are_refused(settings: Settings, product: str) -> None:
    text = said(settings)
    assert (
        "Pulumi.dev.yaml: nodePools = 'b200, spare'\n"
        "  the scheduler cannot tell these pools apart: nodes of both are found by "
        f"nvidia.com/gpu.product=NVIDIA-{product}, kubernetes.io/arch=amd64" in text
    )
    assert "give both a node label with different values" in text


def test_two_pools_of_one_kind_are_told_apart_by_a_label() -> None:
    stack = resolved(_two_pools(SERVING, {"example.com/use": "batch"}))
    selectors = [each.placement.node_selector for each in stack.serving.placed.workers if each.placement]
    assert [each["example.com/use"] for each in selectors] == ["serving", "serving"]


@pytest.mark.parametrize(
    ("setting", "value", "text"),
    [
        (
            "nodePools[0].labels",
            {"kubernetes.io/arch": "arm64"},
            "nodePools[0].labels[\"kubernetes.io/arch\"] = 'arm64'\n"
            "  nodes of p6-b200.48xlarge carry kubernetes.io/arch=amd64\n"
            "  try: leave this label out: it follows from what the nodes are",
        ),
        (
            "nodePools[0].nvlinkDomainGpus",
            72,
            "nodePools[0].nvlinkDomainGpus = 72\n"
            "  p6-b200.48xlarge has no NVLink domain of that many GPUs\n"
            "  allowed: 8",
        ),
    ],
)
def test_what_contradicts_the_instance_type_is_refused(setting: str, value: object, text: str) -> None:
    assert said(changed(disagg_b200_settings(), {setting: value})) == f"Pulumi.dev.yaml: {text}"
