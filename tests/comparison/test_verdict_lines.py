"""The line of each stack, and what must be read first."""

from __future__ import annotations

from comparison.changes import Operation, ResourceChange
from comparison.finding_changes import FindingChanges
from comparison.recording import RecordedUpdate
from comparison.stack_comparison import Standing, UncomparedStack
from comparison.verdict_lines import Quoted, change_words, headline, red_lines, verdict_line
from tests.comparison.made_up import changed, comparison, finding, refused_size, replicas, stack


def lines(*changes: ResourceChange) -> list[str]:
    found = red_lines(comparison([stack(*changes)]))
    return ["".join(each.text if isinstance(each, Quoted) else each for each in line) for line in found]


def test_resources_are_counted_by_what_happens_to_them() -> None:
    gone = changed("ConfigMap gpt-oss/a", Operation.DELETE)
    assert verdict_line(stack(replicas(), gone, replicas("Job gpt-oss/b"))) == "1 deleted, 2 updated"


def test_what_only_the_engine_treats_otherwise_is_no_update() -> None:
    kept = changed("Namespace gpt-oss", Operation.KEEP)
    assert verdict_line(stack(replicas(), kept)) == "1 updated, 1 kept and treated otherwise"
    assert change_words(kept) == "kept and treated otherwise"


def test_a_protected_volume_that_goes_is_counted_apart() -> None:
    volume = changed("PersistentVolumeClaim a/b", Operation.REPLACE, is_protected=True, is_stateful=True)
    said = verdict_line(stack(volume))
    assert said == "1 replaced, 1 of these protected, 1 of these with data that goes, 1 refused"


def test_refusals_findings_secrets_and_an_interruption_are_in_the_line() -> None:
    update = RecordedUpdate(refused=("no",), interruption="5 min")
    found = stack(update=update, findings=FindingChanges(new=(finding(),)), secrets=("token",))
    assert verdict_line(found) == (
        "1 reason why the program ends before it changes anything, 1 mandatory finding, "
        "serving is interrupted, 1 secret changed"
    )


def test_a_stack_without_a_file_says_what_stays() -> None:
    gone = stack(standing=Standing.REMOVED, left_behind=79)
    assert "79 resources stay as they are" in verdict_line(gone)
    assert len(red_lines(comparison([gone]))) == 1


def test_an_unread_side_is_named() -> None:
    assert verdict_line(UncomparedStack("dev", None, "x")).endswith("the newer side could not be read")
    assert "older side and the newer side" in verdict_line(UncomparedStack("dev", "x", "x"))


def test_the_headline_counts_stacks_by_verdict() -> None:
    assert headline(comparison([stack(), stack()])) == "No changes in 2 stacks"
    said = headline(comparison([stack(refused_size()), stack(replicas()), stack()]))
    assert said == "3 stacks: 1 must not be deployed like this, 1 changed, 1 unchanged"


def test_what_can_be_undone_is_no_red_line() -> None:
    created = changed("Deployment a/b", Operation.CREATE)
    renamed = changed("ConfigMap a/files-2", Operation.REPLACE, renamed_from="files-1")
    assert lines(replicas(), created, renamed) == []


def test_the_worst_comes_first() -> None:
    found = lines(
        changed("ConfigMap a/b", Operation.DELETE),
        changed("PersistentVolumeClaim a/b", Operation.DELETE, is_stateful=True),
        changed("Provider kubernetes", Operation.REPLACE, type="pulumi:providers:kubernetes"),
        changed(
            "CapacityBlockReservation b",
            Operation.REPLACE,
            type="aws:ec2/capacityBlockReservation:CapacityBlockReservation",
        ),
        refused_size(),
    )
    assert [each.split(": ")[1] for each in found] == [
        "updated; refused; holds data",
        "provider replaced, and with it everything that it made",
        "buys a Capacity Block",
        "deleted; holds data",
        "deleted",
    ]


def test_what_stops_a_deployment_comes_before_all_that_it_would_do() -> None:
    gone = changed("PersistentVolumeClaim a/b", Operation.DELETE, is_stateful=True)
    findings = FindingChanges(new=(finding(),), still_there=(finding("old-advice", severity="advisory"),))
    refused = stack(gone, update=RecordedUpdate(refused=("Pulumi.dev.yaml: serving.namespace\n  fixed",)))
    unread = UncomparedStack("other", None, "Pulumi.other.yaml: cluster.zone\n  no such key")
    found = red_lines(comparison([stack(gone, findings=findings), unread, refused]))
    said = ["".join(each.text if isinstance(each, Quoted) else each for each in line) for line in found]
    assert said == [
        "dev: a rule refuses: gpus-fit: decode asks for 9 GPUs of 8",
        "other: the newer side could not be read: Pulumi.other.yaml: cluster.zone no such key",
        "dev: the program refuses: Pulumi.dev.yaml: serving.namespace fixed",
        "dev: deleted; holds data: PersistentVolumeClaim a/b",
        "dev: deleted; holds data: PersistentVolumeClaim a/b",
    ]


def test_what_waits_for_a_block_is_counted_apart() -> None:
    opened = (changed("DynamoGraphDeployment a/b", Operation.CREATE), replicas("Job a/b"))
    assert verdict_line(stack(replicas(), opened=opened)) == (
        "1 updated, 2 more once its Capacity Block is open"
    )
    assert verdict_line(stack(opened=opened)) == "2 more once its Capacity Block is open"


def test_a_replacement_says_that_the_old_one_goes_first() -> None:
    job = changed("Job a/b", Operation.REPLACE, deletes_first=True, reasons=("Its template changes.",))
    assert change_words(job) == "replaced, the old one first"
    assert lines(job) == ["dev: replaced, the old one first: Job a/b because Its template changes."]
