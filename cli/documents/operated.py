"""`--json` of the commands that ask a cluster, an account or a frontend."""

from collections.abc import Mapping
from typing import Any

from operations.document import Document


class PreflightAnswer(Document):
    """One question to the account or the cluster."""

    question: str
    verdict: str
    """`good`; `wrong`: `up` would fail; `unknown`: nobody says."""
    found: str
    fix: str
    """What helps; empty where nothing is wrong."""


class PreflightDocument(Document):
    """Whether the account, or the cluster that exists, can give what a stack needs."""

    stack: str
    region: str | None
    """The account's; null where a cluster was asked."""
    context: str | None
    """The cluster's; null where an account was asked."""
    wrong: int
    """Answers with the verdict `wrong`."""
    unknown: int
    """Answers with the verdict `unknown`."""
    answers: tuple[PreflightAnswer, ...]
    remarks: tuple[str, ...]
    """Prices, offers and idle GPUs, as sentences."""


class RecoverStep(Document):
    """One command of a recovery."""

    says: str
    """What it is for."""
    command: str
    """The command as it would be typed."""


class RecoverDocument(Document):
    """What an interrupted run left, and what would clear it; nothing of it is run."""

    stack: str
    interrupted: bool
    """Whether there is anything to recover."""
    found: tuple[str, ...]
    """Leftovers, as sentences."""
    steps: tuple[RecoverStep, ...]
    """Commands that `recover` would run, in their order."""
    left: tuple[str, ...]
    """Objects that are not touched, because they may hold data."""
    operator_answers: bool
    """Whether graphs can be changed: false while the Dynamo operator is away."""


class DriftChange(Document):
    """One field that is not as the stack wrote it, or an object that is gone."""

    kind: str
    namespace: str | None
    """Null for an object of the whole cluster."""
    name: str
    field: str | None
    """Null where the whole object is gone."""
    expected: str
    found: str
    changed_by: tuple[str, ...]
    """Field managers that own the field now."""
    by_failed_up: bool
    """Whether an `up` that failed left it, and nobody else had a hand in it."""
    up: str
    """What `pulumi up --refresh` does about it, such as `repaired` or `refused`."""


class DriftDocument(Document):
    """What somebody changed in the cluster behind the stack's back."""

    stack: str
    differs: bool
    changes: tuple[DriftChange, ...]
    not_ready: tuple[str, ...]
    """Objects that do not work though nobody changed them."""
    lost: tuple[str, ...]
    """Parts that are being deleted, or are empty."""
    repair: tuple[str, ...]
    """Commands that undo it, in their order."""


class SmokeCheck(Document):
    """One thing that was asked."""

    name: str
    asked: str
    verdict: str
    seconds: float | None
    """Null where nothing was sent."""
    found: str
    fix: str | None
    """What helps; null or empty where nothing is wrong."""


class SmokeDocument(Document):
    """What a running deployment answers."""

    stack: str | None
    """Null where an address was asked."""
    url: str | None
    """Null where a stack was asked."""
    model: str
    mock_engine: bool | None
    """Whether a mock engine serves; null where nobody can tell."""
    failed: bool
    seconds: float
    checks: tuple[SmokeCheck, ...]


class LeftOutNodes(Document):
    """Nodes that no pool has."""

    nodes: tuple[str, ...]
    reason: str


class PoolsDocument(Document):
    """The GPU nodes of a cluster, as a stack file names them."""

    context: str
    node_pools: tuple[Mapping[str, Any], ...]
    """What belongs below `nodePools` in a stack file (docs/settings.md)."""
    notes: Mapping[str, tuple[str, ...]]
    """Pool -> what the cluster does not say of it."""
    left_out: tuple[LeftOutNodes, ...]
