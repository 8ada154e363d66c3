"""A comparison as JSON, for programs: its form, its version and its schema.

To bring docs/diff.schema.json up to date: `python -m comparison.document`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AliasGenerator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from comparison.changes import Change, Effect, FieldChange, Operation
from comparison.stack_comparison import Comparison, Standing, Verdict
from resource_graph import Unknown, Value

SCHEMA_FILE = Path(__file__).parent.parent / "docs" / "diff.schema.json"
_VERSION = 1
"""Rises by one when a key goes or another meaning takes its place; a new key leaves it as it is."""
_UNKNOWN = "(known after the update)"


def _plain(value: Value) -> Any:
    if isinstance(value, Unknown):
        return _UNKNOWN
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value


def _without_secrets(fields: Sequence[FieldChange]) -> Sequence[FieldChange]:
    return [replace(each, before=None, after=None) if each.is_secret else each for each in fields]


class _Document(BaseModel):
    """A mapping that is read from the attributes of the same names."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True,
        from_attributes=True,
        alias_generator=AliasGenerator(serialization_alias=to_camel),
        use_attribute_docstrings=True,
    )


class SideDocument(_Document):
    """One side of the comparison."""

    label: str
    """What a person typed: a revision, or a folder."""
    commit: str | None
    """Null for a folder."""


class FieldDocument(_Document):
    """One field of a resource that differs."""

    path: tuple[str | int, ...]
    """Keys and positions from the resource's inputs; into YAML or JSON where a text holds that."""
    change: Change
    effect: Effect
    is_secret: bool
    """The values are left out, and null."""
    before: Annotated[Any, BeforeValidator(_plain)]
    """Null where it is added; `(known after the update)` for what only the update will know."""
    after: Annotated[Any, BeforeValidator(_plain)]


class ResourceDocument(_Document):
    """One resource that is not the same on both sides."""

    urn: str
    type: str
    title: str
    operation: Operation
    """Forget: it leaves the program and stays in the cluster or account."""
    fields: Annotated[tuple[FieldDocument, ...], BeforeValidator(_without_secrets)]
    renamed_from: str | None
    """Its name of before, where only a hash of its content in the name is another."""
    deletes_first: bool
    """Of a replacement: the old one goes before the new one comes."""
    is_protected: bool
    is_stateful: bool
    """It holds what cannot be made again from the program."""
    is_refused: bool
    reasons: tuple[str, ...]


class NoticeDocument(_Document):
    """One effect of the update on what runs."""

    text: str
    warns: bool


class UpdateDocument(_Document):
    """What the update does where the older side runs."""

    notices: tuple[NoticeDocument, ...]
    refused: tuple[str, ...]
    """Why the program would end before anything is changed."""
    restarts_workers: bool
    interruption: str | None
    """How long nothing serves, and why; null where requests are answered all the time."""


class GpusDocument(_Document):
    """All GPUs of one accelerator."""

    accelerator: str
    total: int
    used: int
    idle: int


class PriceDocument(_Document):
    """A published price."""

    machine: str
    usd_per_gpu_hour: float
    source: str
    date: str
    """Day on which the price was read."""


class BlockDocument(_Document):
    """A Capacity Block, whose fee is paid once and in advance."""

    id: str
    gpus: int
    usd_per_hour: float | None
    """The fee, spread over the hours of the block; null without a price."""


class CapacityDocument(_Document):
    """GPUs and dollars of one side."""

    gpus: tuple[GpusDocument, ...]
    usd_per_hour: float
    """US dollars an hour for GPU nodes that are paid by the hour; without Capacity Blocks."""
    idle_usd_per_hour: float
    """What the idle GPUs cost an hour, those of Capacity Blocks included."""
    unpriced_gpus: int
    """GPUs that are in no sum, because no price is known."""
    blocks: tuple[BlockDocument, ...]
    prices: tuple[PriceDocument, ...]


class FindingDocument(_Document):
    """What a rule says of one part of the stack."""

    rule: str
    severity: Literal["mandatory", "advisory"]
    status: Literal["failed", "undecided", "waived"]
    resource: str
    subject: str
    message: str
    fix: str


class FindingsDocument(_Document):
    """What became of the findings."""

    new: tuple[FindingDocument, ...]
    fixed: tuple[FindingDocument, ...]
    still_there: tuple[FindingDocument, ...]
    waived: tuple[FindingDocument, ...]
    """Open on the older side, waived on the newer one."""


class WaiverDocument(_Document):
    """A person's word that a rule may be broken until a day."""

    rule: str
    reason: str
    expires: str
    """Last day on which it holds."""


class WaiversDocument(_Document):
    """The waivers to know of, each in one place."""

    new: tuple[WaiverDocument, ...]
    expired: tuple[WaiverDocument, ...]
    expiring: tuple[WaiverDocument, ...]
    """Within 14 days."""
    removed: tuple[WaiverDocument, ...]


class StackDocument(_Document):
    """One stack that each side where it is could read."""

    name: str
    verdict: Verdict
    standing: Standing
    resources: tuple[ResourceDocument, ...]
    opened: tuple[ResourceDocument, ...]
    """What is not the same besides once every Capacity Block has opened, where both sides wait for theirs."""
    left_behind: int
    """Resources of a removed stack, which stay where they are."""
    update: UpdateDocument
    before: CapacityDocument
    after: CapacityDocument
    findings: FindingsDocument
    waivers: WaiversDocument
    settings: Annotated[tuple[FieldDocument, ...], BeforeValidator(_without_secrets)]
    """What a person typed differently; paths begin at the settings."""
    addresses: tuple[str | None, str | None]
    """Of the older and the newer side: where clients of the cluster reach the model."""
    serves: bool
    """Whether the older side has what serves: a graph that waits for its Capacity Block is not there yet."""
    secrets: tuple[str, ...]
    """Names of the secrets that changed; no value is anywhere in this document."""


class UncomparedDocument(_Document):
    """One stack that at least one side could not read."""

    name: str
    verdict: Literal[Verdict.NOT_COMPARED]
    base_reason: str | None
    """Why the older side could not be read; null where it could, or has no such stack."""
    head_reason: str | None


class DiffDocument(_Document):
    """What `dynamo-stack diff --format json` prints."""

    schema_name: Literal["dynamo-stack/diff"] = Field("dynamo-stack/diff", serialization_alias="schema")
    version: Literal[1] = _VERSION
    verdict: Verdict
    base: SideDocument
    head: SideDocument
    changed_code: tuple[str, ...]
    """Files of the program or its requirements that differ: code of the newer side made this document."""
    notes: tuple[str, ...]
    """What a reader has to know of the sides."""
    stacks: tuple[StackDocument | UncomparedDocument, ...]


def as_document(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as JSON types, as docs/diff.schema.json describes them."""
    return DiffDocument.model_validate(comparison).model_dump(mode="json", by_alias=True)


def diff_schema_text() -> str:
    """Return what docs/diff.schema.json has to hold."""
    schema = DiffDocument.model_json_schema(mode="serialization")
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps(draft | schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(diff_schema_text(), encoding="utf-8")
