"""Rules that depend on what the cluster has: Grove, inference pools, feature gates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.lab.dynamo_operator.reviews import (
    GMS,
    GMS_GATE,
    GROVE,
    INFERENCE_POOLS,
    INTER,
    PLAIN,
    SERVICE,
    Change,
    on_vllm,
    picker,
    refusal,
    sharing,
)

if TYPE_CHECKING:
    from lab.dynamo_operator.admission.rule import Circumstances

CIRCUMSTANTIAL: list[tuple[str, Change, Circumstances, Circumstances, str]] = [
    (
        "inference pools",
        picker(),
        INFERENCE_POOLS,
        PLAIN,
        "spec.services[Picker]: cannot deploy EPP component",
    ),
    (
        "memory sharing between pods",
        on_vllm(sharing(INTER)),
        GROVE,
        PLAIN,
        f'{SERVICE}.gpuMemoryService: mode "interPod" requires Grove',
    ),
    (
        "checkpoint gate",
        sharing(GMS, checkpoint={"enabled": True}),
        GMS_GATE,
        PLAIN,
        f"{SERVICE}.checkpoint: cannot be combined",
    ),
]


@pytest.mark.parametrize(
    ("graph", "good", "bad", "message"),
    [each[1:] for each in CIRCUMSTANTIAL],
    ids=[each[0] for each in CIRCUMSTANTIAL],
)
def test_some_rules_depend_on_what_the_cluster_has(
    graph: Change, good: Circumstances, bad: Circumstances, message: str
) -> None:
    assert refusal(graph, good) is None
    assert (refusal(graph, bad) or "admitted").startswith(message)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (picker(multinode={"nodeCount": 2}), "spec.services[Picker]: EPP component cannot be multinode"),
        (
            picker(replicas=2),
            "spec.services[Picker]: EPP component must have exactly 1 replica (found 2 replicas)",
        ),
        (
            picker(eppConfig={}),
            "spec.services[Picker].eppConfig: either configMapRef or config must be specified",
        ),
        (
            picker(eppConfig={"configMapRef": {"name": "x"}, "config": {}}),
            "spec.services[Picker].eppConfig: configMapRef and config are mutually exclusive",
        ),
        (
            picker(eppConfig={"configMapRef": {"name": "", "key": "config"}}),
            "spec.services[Picker].eppConfig.configMapRef.name is required",
        ),
        (on_vllm(sharing(INTER, failover={"enabled": True})), f"{SERVICE}.failover: failover.mode"),
        (sharing(INTER), f'{SERVICE}.gpuMemoryService: mode "interPod" requires backendFramework vllm'),
        (
            on_vllm(sharing(INTER, failover=INTER | {"numShadows": 0})),
            f"{SERVICE}.failover.numShadows must be at least 1",
        ),
    ],
)
def test_rules_of_parts_that_the_plain_cluster_lacks(graph: Change, message: str) -> None:
    everything = replace(GROVE, has_inference_pools=True)
    assert (refusal(graph, everything) or "admitted").startswith(message)


def test_an_endpoint_picker_needs_its_configuration() -> None:
    graph = picker()
    del graph["spec"]["services"]["Picker"]["eppConfig"]
    assert refusal(graph, INFERENCE_POOLS) == "spec.services[Picker].eppConfig is required for EPP components"
