"""What is said of serving, GPUs, dollars, findings, waivers and secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparison.capacity import capacity_of
from comparison.changes import Change, Effect, FieldChange, Operation
from comparison.facts import facts_of
from comparison.finding_changes import FindingChanges, WaiverChanges
from comparison.recording import RecordedNotice, RecordedUpdate
from comparison.stack_comparison import Standing, UncomparedStack
from comparison.verdict_lines import Quoted
from tests.comparison.made_up import changed, finding, pool, replicas, stack, waiver

if TYPE_CHECKING:
    from comparison.stack_comparison import StackComparison


def said(of: StackComparison | UncomparedStack) -> dict[str, list[str]]:
    return {
        fact.label: [
            "".join(each.text if isinstance(each, Quoted) else each for each in sentence)
            for sentence in fact.sentences
        ]
        for fact in facts_of(of)
    }


def test_the_reason_of_an_interruption_is_said() -> None:
    update = RecordedUpdate(interruption="about 9 min: no room for both", restarts_workers=True)
    found = said(stack(replicas(), update=update))
    assert found["without service"] == ["about 9 min: no room for both"]
    assert found["restarts"] == ["every worker"]


def test_an_update_that_interrupts_nothing_says_so() -> None:
    found = said(stack(replicas()))
    assert found["without service"] == ["no interruption: requests are answered all the time"]
    assert found["restarts"] == ["no worker"]


def test_changed_settings_and_the_clients_new_address_come_first() -> None:
    settings = (
        FieldChange(
            path=("serving", "recipe"), change=Change.CHANGED, before="trtllm-disagg", after="trtllm-agg"
        ),
        FieldChange(path=("serving", "kvTransport"), change=Change.REMOVED, before="tcp"),
    )
    found = said(stack(replicas(), settings=settings, addresses=("a.gpt-oss:8000", "b.gpt-oss:8000")))
    assert list(found)[:2] == ["settings", "clients"]
    assert found["settings"] == [
        "serving.recipe: trtllm-disagg -> trtllm-agg",
        "serving.kvTransport: tcp -> not set",
    ]
    assert found["clients"] == ["have to change their address: a.gpt-oss:8000 -> b.gpt-oss:8000"]


def test_an_update_before_anything_serves_promises_no_uninterrupted_service() -> None:
    found = said(stack(replicas(), serves=False))
    assert found["without service"] == ["nothing serves yet, so nothing is interrupted"]
    assert "restarts" not in found


def test_another_recipe_is_never_among_the_settings_that_are_only_counted() -> None:
    others = tuple(
        FieldChange(path=("cluster", f"key{index}"), change=Change.ADDED, after=index) for index in range(20)
    )
    recipe = FieldChange(path=("serving", "recipe"), change=Change.CHANGED, before="a", after="b")
    found = said(stack(replicas(), settings=(*others, recipe)))["settings"]
    assert (found[0], found[-1]) == ("serving.recipe: a -> b", "and 9 other keys")


def test_of_a_graph_that_waits_for_its_block_it_is_said_what_changes_once_it_is_open() -> None:
    graph = "kubernetes:nvidia.com/v1beta1:DynamoGraphDeployment"
    image = FieldChange(path=("image",), change=Change.CHANGED, effect=Effect.ROLLS_PODS)
    opened = (
        changed("DynamoGraphDeployment gpt-oss/old", Operation.DELETE, type=graph),
        changed("DynamoGraphDeployment gpt-oss/new", Operation.CREATE, type=graph),
        changed("StatefulSet gpt-oss/nats", Operation.UPDATE, image),
        changed("ConfigMap gpt-oss/files", Operation.UPDATE, image),
    )
    found = said(stack(opened=opened, serves=False))
    assert found["without service"] == ["nothing serves yet, so nothing is interrupted"]
    assert found["once open"] == [
        "deleted: DynamoGraphDeployment gpt-oss/old",
        "created: DynamoGraphDeployment gpt-oss/new",
        "updated: StatefulSet gpt-oss/nats, ConfigMap gpt-oss/files",
        "applied after the block has opened, it ends serving with: DynamoGraphDeployment gpt-oss/old",
        "applied after it has opened, it restarts pods of StatefulSet gpt-oss/nats",
    ]


def test_a_larger_pool_in_a_capacity_block_says_what_the_block_has_to_hold() -> None:
    before, after = (capacity_of([pool(gpus=gpus, block="cr-1")]) for gpus in (8, 16))
    [said_of_block] = [line for line in said(stack(before=before, after=after))["cost"] if "cr-1" in line]
    assert "8 -> 16 GPUs" in said_of_block
    assert said_of_block.endswith("; the block has to hold 16 GPUs")


def test_a_cluster_that_is_replaced_ends_serving_though_the_update_names_no_interruption() -> None:
    provider = changed("kubernetes cluster", Operation.REPLACE, type="pulumi:providers:kubernetes")
    found = said(stack(provider))
    assert found["without service"] == [
        "from the moment that this is deleted or replaced: kubernetes cluster"
    ]
    assert "restarts" not in found


def test_of_a_namespace_that_is_renamed_the_old_one_is_said_to_go() -> None:
    space = changed(
        "Namespace new", Operation.REPLACE, type="kubernetes:core/v1:Namespace", goes="Namespace old"
    )
    found = said(stack(space))
    assert found["without service"] == ["from the moment that this is deleted or replaced: Namespace old"]


def test_the_first_graph_of_a_stack_interrupts_nobody() -> None:
    assert said(stack(changed("DynamoGraphDeployment a/b", Operation.CREATE))) == {}


def test_a_new_stack_interrupts_and_restarts_nothing() -> None:
    found = said(stack(changed("Job a/b", Operation.CREATE), standing=Standing.NEW))
    assert found == {}


def test_pods_nodes_and_content_that_waits_for_a_restart_are_named_apart() -> None:
    effects = {
        "Deployment a/pods": Effect.ROLLS_PODS,
        "NodeGroup nodes": Effect.ROLLS_NODES,
        "ConfigMap a/files": Effect.NOT_APPLIED,
        "ConfigMap a/files-2": Effect.ROLLS_PODS,
    }
    changes = [
        changed(title, Operation.UPDATE, FieldChange(path=("data",), change=Change.CHANGED, effect=effect))
        for title, effect in effects.items()
    ]
    found = said(stack(*changes))
    assert found["restarts"] == ["no worker", "pods of Deployment a/pods", "nodes of NodeGroup nodes"]
    assert found["not applied"] == ["until pods restart: ConfigMap a/files"]


def test_the_first_line_of_each_notice_is_shown() -> None:
    update = RecordedUpdate(notices=(RecordedNotice("every worker restarts\n  interruption: 9 min", True),))
    assert said(stack(replicas(), update=update))["the update"] == ["every worker restarts"]


def test_gpus_and_dollars_are_shown_before_and_after() -> None:
    before, after = capacity_of([pool()]), capacity_of([pool(nodes=2, gpus=16)])
    found = said(stack(replicas(), before=before, after=after))
    assert found["GPUs"] == ["B200: 8 -> 16, in use 5"]
    assert found["cost"] == [
        "$80.00 -> $160.00 an hour for GPU nodes",
        "p6-b200.48xlarge: $10.00 a GPU-hour (the price list, read on 2026-07-01)",
    ]
    assert found["idle"] == [
        "3 -> 11 GPUs that no worker asks for: $30.00 -> $110.00 an hour, blocks included"
    ]


def test_the_fee_of_a_block_is_apart() -> None:
    before, after = capacity_of([]), capacity_of([pool(block="cr-1", used_gpus=8)])
    found = said(stack(replicas(), before=before, after=after))
    assert found["cost"][0] == (
        "new Capacity Block cr-1, 8 GPUs: $80.00 for each hour of the block, used or not: a fee paid once, "
        "in advance, in no other sum here"
    )
    assert "idle" not in found


def test_gpus_without_a_price_are_said_to_be_in_no_sum() -> None:
    found = said(stack(after=capacity_of([pool(usd_per_gpu_hour=None)])))
    assert "8 GPUs without a known price: in none of these sums" in found["cost"]


def test_new_findings_are_shown_whole_and_old_advice_is_counted() -> None:
    findings = FindingChanges(
        new=(finding(),), still_there=(finding("old-advice", severity="advisory"),), fixed=(finding("gone"),)
    )
    assert said(stack(findings=findings))["findings"] == [
        "new, mandatory: gpus-fit: decode asks for 9 GPUs of 8",
        "still there, not mandatory: 1 of old-advice",
        "fixed: 1 of gone",
    ]


def test_more_than_six_findings_are_counted() -> None:
    findings = FindingChanges(new=tuple(finding(str(number)) for number in range(9)))
    shown = said(stack(findings=findings))["findings"]
    assert len(shown) == 7
    assert shown[-1] == "new: 3 others, 3 of them mandatory"


def test_waivers_and_secrets_are_named() -> None:
    found = said(stack(waivers=WaiverChanges(expired=(waiver("2026-01-01"),)), secrets=("token",)))
    assert found["waivers"] == ["expired: gpus-fit until 2026-01-01: a trial"]
    assert found["secrets"] == [
        "changed: token; where only the encryption is new, what holds the value stays as it is"
    ]


def test_a_stack_that_was_not_compared_says_why() -> None:
    assert said(UncomparedStack("dev", None, "no such\nrecipe")) == {"newer side": ["no such recipe"]}
