"""What is said of serving, GPUs, dollars, findings, waivers and secrets."""

import pytest

from comparison.capacity import capacity_of
from comparison.changes import Change, Effect, FieldChange, Operation
from comparison.finding_changes import FindingChanges, WaiverChanges
from comparison.recording import RecordedNotice, RecordedUpdate
from comparison.stack_comparison import StackComparison, Standing, UncomparedStack
from tests.comparison.made_up import changed, facts, finding, pool, replicas, stack, waiver

_GRAPH = "kubernetes:nvidia.com/v1beta1:DynamoGraphDeployment"
_IMAGE = FieldChange(path=("image",), change=Change.CHANGED, effect=Effect.ROLLS_PODS)
_OPENED = (
    changed("DynamoGraphDeployment gpt-oss/old", Operation.DELETE, type=_GRAPH),
    changed("DynamoGraphDeployment gpt-oss/new", Operation.CREATE, type=_GRAPH),
    changed("StatefulSet gpt-oss/nats", Operation.UPDATE, _IMAGE),
    changed("ConfigMap gpt-oss/files", Operation.UPDATE, _IMAGE),
)
_PROVIDER = changed("kubernetes cluster", Operation.REPLACE, type="pulumi:providers:kubernetes")
_NAMESPACE = changed(
    "Namespace new", Operation.REPLACE, type="kubernetes:core/v1:Namespace", goes="Namespace old"
)
_TITLES = {
    "Deployment a/pods": Effect.ROLLS_PODS,
    "NodeGroup nodes": Effect.ROLLS_NODES,
    "ConfigMap a/files-2": Effect.ROLLS_PODS,
}
_EFFECTS = [
    changed(title, Operation.UPDATE, FieldChange(path=("data",), change=Change.CHANGED, effect=effect))
    for title, effect in _TITLES.items()
]
_RECIPE = FieldChange(path=("serving", "recipe"), change=Change.CHANGED, before="disagg", after="agg")
_TRANSPORT = FieldChange(path=("serving", "kvTransport"), change=Change.REMOVED, before="tcp")
_UPDATE = RecordedUpdate(
    interruption="about 9 min: no room for both",
    restarts_workers=True,
    notices=(RecordedNotice("every worker restarts\n  interruption: 9 min", True),),
)
_ONE, _TWO = capacity_of([pool()]), capacity_of([pool(nodes=2, gpus=16)])
_UNPRICED = capacity_of([pool(usd_per_gpu_hour=None)])
_SEVERAL = capacity_of(
    [pool("a"), pool("b", used_gpus=8), pool("c", accelerator="H100", usd_per_gpu_hour=None)]
)
_BLOCKS = capacity_of([pool("a"), pool("b", block="cr-1"), pool("c", block="cr-1")])
_UNPRICED_BLOCK = capacity_of([pool(block="cr-1", used_gpus=8, usd_per_gpu_hour=None)])
_NONE, _BLOCK = capacity_of([]), capacity_of([pool(block="cr-1", used_gpus=8)])
_LARGER_BLOCK = capacity_of([pool(block="cr-1", used_gpus=16, gpus=16)])
_FINDINGS = FindingChanges(
    new=(finding(),), still_there=(finding("old-advice", severity="advisory"),), fixed=(finding("gone"),)
)

_FEE = " for each hour of the block, used or not: a fee paid once, in advance, in no other sum here"

_STACKS: dict[str, tuple[StackComparison | UncomparedStack, dict[str, list[str]]]] = {
    "settings and the clients' new address come first": (
        stack(
            replicas(),
            settings=(_RECIPE, _TRANSPORT),
            addresses=("a.gpt-oss:8000", "b.gpt-oss:8000"),
        ),
        {
            "settings": ["serving.recipe: disagg -> agg", "serving.kvTransport: tcp -> not set"],
            "clients": ["have to change their address: a.gpt-oss:8000 -> b.gpt-oss:8000"],
            "without service": ["no interruption: requests are answered all the time"],
            "restarts": ["no worker"],
        },
    ),
    "an interruption has its reason, and a notice its first line": (
        stack(replicas(), update=_UPDATE),
        {
            "without service": ["about 9 min: no room for both"],
            "restarts": ["every worker"],
            "the update": ["every worker restarts"],
        },
    ),
    "an update before anything serves interrupts nothing": (
        stack(replicas(), serves=False),
        {"without service": ["nothing serves yet, so nothing is interrupted"]},
    ),
    "what changes once its block is open": (
        stack(opened=_OPENED, serves=False),
        {
            "without service": ["nothing serves yet, so nothing is interrupted"],
            "once open": [
                "applied after its Capacity Block has opened, it ends serving with: "
                "DynamoGraphDeployment gpt-oss/old",
                "applied after it has opened, it restarts pods of StatefulSet gpt-oss/nats",
            ],
        },
    ),
    "a cluster that is replaced ends serving though the update names no interruption": (
        stack(_PROVIDER),
        {"without service": ["from the moment that this is deleted or replaced: kubernetes cluster"]},
    ),
    "of a namespace that is renamed the old one goes": (
        stack(_NAMESPACE),
        {"without service": ["from the moment that this is deleted or replaced: Namespace old"]},
    ),
    "the first graph of a stack interrupts nobody": (
        stack(changed("DynamoGraphDeployment a/b", Operation.CREATE)),
        {},
    ),
    "a new stack interrupts and restarts nothing": (
        stack(changed("Job a/b", Operation.CREATE), standing=Standing.NEW),
        {},
    ),
    "pods and nodes are named apart": (
        stack(*_EFFECTS),
        {
            "without service": ["no interruption: requests are answered all the time"],
            "restarts": ["no worker", "pods of Deployment a/pods", "nodes of NodeGroup nodes"],
        },
    ),
    "GPUs and dollars before and after": (
        stack(before=_ONE, after=_TWO),
        {
            "GPUs": ["B200: 8 -> 16, in use 5"],
            "cost": [
                "$80.00 -> $160.00 an hour for GPU nodes",
                "p6-b200.48xlarge: $10.00 a GPU-hour (the price list, read on 2026-07-01)",
            ],
            "idle": ["3 -> 11 GPUs that no worker asks for: $30.00 -> $110.00 an hour, blocks included"],
        },
    ),
    "the fee of a block is apart": (
        stack(before=_NONE, after=_BLOCK),
        {
            "GPUs": ["B200: 0 -> 8, in use 0 -> 8"],
            "cost": [
                f"new Capacity Block cr-1, 8 GPUs: $80.00{_FEE}",
                "p6-b200.48xlarge: $10.00 a GPU-hour (the price list, read on 2026-07-01)",
            ],
        },
    ),
    "a larger pool says what its block has to hold": (
        stack(before=_BLOCK, after=_LARGER_BLOCK),
        {
            "GPUs": ["B200: 8 -> 16, in use 8 -> 16"],
            "cost": [
                f"Capacity Block cr-1, 8 -> 16 GPUs: $80.00 -> $160.00{_FEE}; the block has to hold 16 GPUs",
                "p6-b200.48xlarge: $10.00 a GPU-hour (the price list, read on 2026-07-01)",
            ],
        },
    ),
    "GPUs without a price are in no sum": (
        stack(after=_UNPRICED),
        {
            "GPUs": ["B200: 0 -> 8, in use 0 -> 5"],
            "cost": ["8 GPUs without a known price: in none of these sums"],
            "idle": ["0 -> 3 GPUs that no worker asks for: $0.00 an hour, blocks included"],
        },
    ),
    "GPUs and dollars are summed over pools, and a price is named once": (
        stack(before=_SEVERAL, after=_SEVERAL),
        {
            "GPUs": ["B200: 16, in use 13", "H100: 8, in use 5"],
            "cost": [
                "$160.00 an hour for GPU nodes",
                "8 GPUs without a known price: in none of these sums",
                "p6-b200.48xlarge: $10.00 a GPU-hour (the price list, read on 2026-07-01)",
            ],
            "idle": ["6 GPUs that no worker asks for: $30.00 an hour, blocks included"],
        },
    ),
    "a block's fee is no part of what grows by the hour, and its idle GPUs are idle": (
        stack(before=_BLOCKS, after=_BLOCKS),
        {
            "GPUs": ["B200: 24, in use 15"],
            "cost": [
                "$80.00 an hour for GPU nodes",
                f"Capacity Block cr-1, 16 GPUs: $160.00{_FEE}",
                "p6-b200.48xlarge: $10.00 a GPU-hour (the price list, read on 2026-07-01)",
            ],
            "idle": ["9 GPUs that no worker asks for: $90.00 an hour, blocks included"],
        },
    ),
    "a block of which no price is known says so": (
        stack(before=_UNPRICED_BLOCK, after=_UNPRICED_BLOCK),
        {
            "GPUs": ["B200: 8, in use 8"],
            "cost": [
                "Capacity Block cr-1, 8 GPUs: no price is known",
                "8 GPUs without a known price: in none of these sums",
            ],
        },
    ),
    "new findings are whole, and old advice is counted": (
        stack(findings=_FINDINGS),
        {
            "findings": [
                "new, mandatory: gpus-fit: decode asks for 9 GPUs of 8",
                "still there, not mandatory: 1 of old-advice",
                "fixed: 1 of gone",
            ]
        },
    ),
    "waivers and secrets are named": (
        stack(waivers=WaiverChanges(new=(waiver("2026-01-01"),)), secrets=("token",)),
        {
            "waivers": ["new: gpus-fit until 2026-01-01: a trial"],
            "secrets": [
                "changed: token; where only the encryption is new, what holds the value stays as it is"
            ],
        },
    ),
    "a stack that was not compared says why": (
        UncomparedStack("dev", None, "no such\nrecipe"),
        {"newer side": ["no such recipe"]},
    ),
}


@pytest.mark.parametrize("case", _STACKS)
def test_a_stack_is_told_in_facts_under_their_labels(case: str) -> None:
    compared, words = _STACKS[case]
    assert facts(compared) == words


def test_another_recipe_is_never_among_the_settings_that_are_only_counted() -> None:
    others = tuple(
        FieldChange(path=("cluster", f"key{index}"), change=Change.ADDED, after=index) for index in range(20)
    )
    found = facts(stack(replicas(), settings=(*others, _RECIPE)))["settings"]
    assert (found[0], found[-1]) == ("serving.recipe: disagg -> agg", "and 9 other keys")


def test_more_than_six_findings_are_counted() -> None:
    findings = FindingChanges(new=tuple(finding(str(number)) for number in range(9)))
    shown = facts(stack(findings=findings))["findings"]
    assert (len(shown), shown[-1]) == (7, "new: 3 others, 3 of them mandatory")
