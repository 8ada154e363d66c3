"""The line of each stack, and what must be read first."""

import pytest

from comparison.changes import Operation
from comparison.finding_changes import FindingChanges
from comparison.recording import RecordedUpdate
from comparison.stack_comparison import StackComparison, Standing, UncomparedStack
from comparison.verdict_lines import headline, red_lines, verdict_line
from tests.comparison.made_up import changed, comparison, finding, plain, refused_size, replicas, stack

_GONE = changed("ConfigMap gpt-oss/a", Operation.DELETE)
_KEPT = changed("Namespace gpt-oss", Operation.KEEP)
_VOLUME = changed("PersistentVolumeClaim a/b", Operation.REPLACE, is_protected=True, is_stateful=True)
_STOPPED = RecordedUpdate(refused=("no",), interruption="5 min")
_OPENED = (changed("DynamoGraphDeployment a/b", Operation.CREATE), replicas("Job a/b"))
_LINES: dict[str, tuple[StackComparison | UncomparedStack, str]] = {
    "resources are counted by what happens to them": (
        stack(replicas(), _GONE, replicas("Job gpt-oss/b")),
        "1 deleted, 2 updated",
    ),
    "what only the engine treats otherwise is no update": (
        stack(replicas(), _KEPT),
        "1 updated, 1 kept and treated otherwise",
    ),
    "a protected volume that goes is counted apart": (
        stack(_VOLUME),
        "1 replaced, 1 of these protected, 1 of these with data that goes, 1 refused",
    ),
    "refusals, findings, secrets and an interruption": (
        stack(update=_STOPPED, findings=FindingChanges(new=(finding(),)), secrets=("token",)),
        "1 reason why the program ends before it changes anything, 1 mandatory finding, "
        "serving is interrupted, 1 secret changed",
    ),
    "a stack without a file": (
        stack(standing=Standing.REMOVED, left_behind=79),
        "its file is gone: 79 resources stay as they are until `pulumi destroy` of the older side",
    ),
    "an unread side": (
        UncomparedStack("dev", None, "x"),
        "not compared, as the newer side could not be read",
    ),
    "two unread sides": (
        UncomparedStack("dev", "x", "x"),
        "not compared, as the older side and the newer side could not be read",
    ),
    "what waits for a block is counted apart": (
        stack(replicas(), opened=_OPENED),
        "1 updated, 2 more once its Capacity Block is open",
    ),
}


@pytest.mark.parametrize("case", _LINES)
def test_the_line_of_a_stack_counts_what_happens_to_it(case: str) -> None:
    compared, line = _LINES[case]
    assert verdict_line(compared) == line


def test_the_headline_counts_stacks_by_verdict() -> None:
    assert headline(comparison([stack(), stack()])) == "No changes in 2 stacks"
    said = headline(comparison([stack(refused_size()), stack(replicas()), stack()]))
    assert said == "3 stacks: 1 must not be deployed like this, 1 changed, 1 unchanged"


def test_what_can_be_undone_is_no_red_line() -> None:
    created = changed("Deployment a/b", Operation.CREATE)
    renamed = changed("ConfigMap a/files-2", Operation.REPLACE, renamed_from="files-1")
    assert red_lines(comparison([stack(replicas(), created, renamed)])) == ()


def test_what_stops_a_deployment_comes_first_and_then_the_worst_that_it_does() -> None:
    data = changed("PersistentVolumeClaim a/b", Operation.DELETE, is_stateful=True)
    provider = changed("Provider kubernetes", Operation.REPLACE, type="pulumi:providers:kubernetes")
    block = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
    bought = changed("CapacityBlockReservation b", Operation.REPLACE, type=block)
    job = changed("Job a/b", Operation.REPLACE, deletes_first=True, reasons=("Its template changes.",))
    findings = FindingChanges(new=(finding(),), still_there=(finding("old-advice", severity="advisory"),))
    refused = stack(data, update=RecordedUpdate(refused=("Pulumi.dev.yaml: serving.namespace\n  fixed",)))
    unread = UncomparedStack("other", None, "Pulumi.other.yaml: cluster.zone\n  no such key")
    gone = stack(standing=Standing.REMOVED, name="gone", left_behind=79)
    worst = stack(_GONE, job, data, provider, bought, refused_size(), findings=findings)
    assert [plain(line) for line in red_lines(comparison([worst, unread, refused, gone]))] == [
        "dev: a rule refuses: gpus-fit: decode asks for 9 GPUs of 8",
        "dev: updated; refused; holds data: PersistentVolumeClaim gpt-oss/cache for spec.volumeMode",
        "other: the newer side could not be read: Pulumi.other.yaml: cluster.zone no such key",
        "dev: the program refuses: Pulumi.dev.yaml: serving.namespace fixed",
        "dev: provider replaced, and with it everything that it made: Provider kubernetes",
        "dev: buys a Capacity Block: CapacityBlockReservation b",
        "dev: deleted; holds data: PersistentVolumeClaim a/b",
        "dev: deleted; holds data: PersistentVolumeClaim a/b",
        "gone: its file is gone: 79 resources stay as they are until `pulumi destroy` of the older side",
        "dev: deleted: ConfigMap gpt-oss/a",
        "dev: replaced, the old one first: Job a/b because Its template changes.",
    ]
