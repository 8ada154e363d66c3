"""`dynamo-stack check --json`."""

from collections.abc import Mapping

from operations.document import Document


class CheckedWaiver(Document):
    """A person's word that the rule may be broken for a time."""

    reason: str
    expires: str
    """Last day on which it holds."""


class CheckedSetting(Document):
    """A setting that a person typed, and that a finding comes from."""

    key: str
    """Its path below `dynamo-stack:settings`, such as `serving.overrides.decode.max_batch_size`."""
    file: str | None
    """The stack's file; null where a state or a rendering is judged, which do not tell it."""
    line: int | None
    """Of the key in that file."""


class CheckedFinding(Document):
    """What a rule says of one part of one resource."""

    rule: str
    severity: str
    """`mandatory` or `advisory`."""
    status: str
    """`failed`, `waived` or `undecided`."""
    waiver: CheckedWaiver | None
    """Null unless the status is `waived`."""
    urn: str
    resource: str
    subject: str
    """Part of the resource that is judged, such as a service of the graph."""
    message: str
    settings: tuple[CheckedSetting, ...]
    """What a person typed that it comes from; the message names each."""
    file: str | None
    """File of the object; null for a stack, whose objects stand in no file."""
    document: int | None
    """Number of the document in the file, from 1."""
    line: int | None
    field: tuple[str | int, ...] | None
    """Path of the field in question; null where the whole object is meant."""
    reason: str
    """What breaks where the rule does not hold."""
    fix: str
    source: str


class CheckedBroken(Document):
    """A rule that raised instead of judging."""

    rule: str
    error: str


class CheckedMissing(Document):
    """A rule that was not asked, because nothing here tells what it reads."""

    rule: str
    missing: tuple[str, ...]


class CheckDocument(Document):
    """Every finding of every rule; nothing is grouped or left out."""

    subject: str
    """What was judged, such as `stack dev`, or files."""
    stops: bool
    """Whether there is a reason not to deploy."""
    findings: tuple[CheckedFinding, ...]
    broken: tuple[CheckedBroken, ...]
    not_evaluated: tuple[CheckedMissing, ...]
    rules: tuple[str, ...]
    """Ids of all rules that were asked."""
    read: Mapping[str, int]
    """Kind or type -> how many were read."""
    understood: bool
    """Whether anything at all was judged, and a workload where there is any."""
    not_judged: Mapping[str, int]
    """Kind or type that no rule and no schema knows -> how many were read."""
