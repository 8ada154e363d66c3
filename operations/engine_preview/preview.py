"""`pulumi preview` of a stack with its policy pack, as changes, findings and what was said."""

import tempfile
from pathlib import Path
from typing import Literal

from pydantic import Field, computed_field

from comparison.changes import ResourceChange
from comparison.recording import RecordedFinding, RecordedNotice
from operations.document import Document
from operations.engine_preview.events import Events, read_events
from operations.engine_preview.steps import resource_changes
from operations.pulumi_command import PulumiCommand
from resource_graph.urns import STACK_TYPE, own_type, urn_name

# The events go into a file, as the Automation API has them: `preview --json` drops those of policies
# (pulumi/pulumi pkg/backend/display/json.go). The API itself would select the stack for the person's next
# `pulumi up` too, and this command changes nothing. The option is shown to nobody without the variable.
_EVENTS = ("preview", "--event-log")
_SHOWS_OPTION = {"PULUMI_DEBUG_COMMANDS": "true"}


class EnginePreview(Document):
    """What the next `pulumi up` does, in the engine's own words."""

    stack: str
    changes: tuple[ResourceChange, ...] = Field(serialization_alias="resources")
    """As `dynamo-stack diff --format json` has them."""
    findings: tuple[RecordedFinding, ...]
    """Of the policy pack."""
    notices: tuple[RecordedNotice, ...]
    """Effects on what runs, as the program says them."""
    refused: tuple[str, ...]
    """Errors of program, provider or API server."""

    @property
    def stops(self) -> bool:
        """Whether `up` would be refused."""
        mandatory = any(each.severity == "mandatory" for each in self.findings)
        return mandatory or bool(self.refused) or any(each.is_refused for each in self.changes)

    @computed_field
    @property
    def verdict(self) -> Literal["unchanged", "changes", "stops"]:
        """Whether anything changes, and whether `up` would be refused."""
        if self.stops:
            return "stops"
        return "changes" if self.changes else "unchanged"


def preview_stack(name: str) -> EnginePreview:
    """Ask the engine; nothing is changed.

    Raises:
        CommandError: the engine could not look at the stack.

    """
    pulumi = PulumiCommand.of_stack(name)
    pack = ("--policy-pack", "policy") if (pulumi.directory / "policy").is_dir() else ()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "events.jsonl"
        answer = pulumi.capture(*_EVENTS, str(log), *pack, variables=_SHOWS_OPTION)
        lines = log.read_text(encoding="utf-8").splitlines() if log.is_file() else []
    found = read_preview(name, read_events(lines))
    if answer.returncode != 0 and not found.stops:
        raise pulumi.failure(answer.stderr.strip() or answer.stdout, "preview", *pack)
    return found


def read_preview(stack: str, events: Events) -> EnginePreview:
    """Return what the events of a stack's preview say."""
    return EnginePreview(
        stack=stack,
        changes=resource_changes(events.steps),
        findings=events.findings,
        notices=tuple(
            RecordedNotice(each.message, each.severity == "warning")
            for each in events.diagnostics
            if each.severity in {"info", "warning"} and each.message
        ),
        # An error about no resource says that the preview failed, which its exit code does too.
        refused=tuple(
            dict.fromkeys(
                each.message if own_type(each.urn) == STACK_TYPE else f"{urn_name(each.urn)}: {each.message}"
                for each in events.diagnostics
                if each.severity == "error" and each.urn is not None
            )
        ),
    )
