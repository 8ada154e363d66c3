"""`dynamo-stack preview --json`."""

from operations.document import Document


class PreviewedField(Document):
    """One field that differs."""

    path: str
    change: str
    """`added`, `removed` or `changed`."""
    before: str | None
    """Value as text; null where there is none. A secret is a mark."""
    after: str | None
    effect: str
    """`in place`, or `replaces`."""
    is_secret: bool


class PreviewedResource(Document):
    """One resource that changes."""

    urn: str
    type: str
    title: str
    """Kind, namespace and name; of what is no Kubernetes object, type and name."""
    operation: str
    """`create`, `update`, `replace`, `delete`, or `forget`: it leaves the stack and stays."""
    deletes_first: bool
    """Of a replacement: the old one goes before the new one comes."""
    is_protected: bool
    is_stateful: bool
    is_refused: bool
    """Whether the engine or the API server says no."""
    fields: tuple[PreviewedField, ...]
    reasons: tuple[str, ...]


class PreviewedFinding(Document):
    """What the policy pack says of one resource."""

    rule: str
    severity: str
    """`mandatory` or `advisory`."""
    resource: str
    message: str


class PreviewedNotice(Document):
    """What the program says of the update's effects."""

    text: str
    warns: bool


class PreviewDocument(Document):
    """What the next `pulumi up` does, in the engine's own words."""

    stack: str
    verdict: str
    """`unchanged`, `changes`, or `stops` where `up` would be refused."""
    resources: tuple[PreviewedResource, ...]
    findings: tuple[PreviewedFinding, ...]
    notices: tuple[PreviewedNotice, ...]
    refused: tuple[str, ...]
    """Errors of program, provider or API server."""
