"""Every command that prints JSON, with the model of its document and the meaning of its exit codes."""

from dataclasses import dataclass

from pydantic import BaseModel

from cli.documents.envelope import Command
from cli.documents.judged import CheckDocument
from cli.list_stacks import ListDocument
from cli.recover import RecoverDocument
from cli.size import SizeDocument
from explain.explanation.sections import Explanation
from operations.doctor.finding import Diagnosis
from operations.drift.report import DriftReport
from operations.engine_preview.preview import EnginePreview
from operations.node_pools.pools import FoundPools
from operations.preflight.answer import Preflight
from operations.smoke.checks import SmokeReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """One command's document."""

    command: Command
    model: type[BaseModel]
    typed: str
    """How the command is typed."""
    exits: str
    """Its exit codes; all but `preview` end with 2 where their input cannot be used."""


PRINTED: tuple[Printed, ...] = (
    Printed(command="list", model=ListDocument, typed="list --json", exits="0"),
    Printed(
        command="size",
        model=SizeDocument,
        typed="size --input TOKENS --output TOKENS --json",
        exits="0; 1 where no measured layout keeps the limits",
    ),
    Printed(command="explain", model=Explanation, typed="explain STACK --json", exits="0"),
    Printed(
        command="check",
        model=CheckDocument,
        typed="check STACK --json",
        exits="0; 1 for a mandatory finding or a broken rule",
    ),
    Printed(
        command="preflight",
        model=Preflight,
        typed="preflight STACK --json",
        exits="0; 1 where `up` would fail",
    ),
    Printed(
        command="preview",
        model=EnginePreview,
        typed="preview STACK --json",
        exits="0; 1 for changes; 2 where `up` would be refused; 3 where the engine could not look",
    ),
    Printed(
        command="drift", model=DriftReport, typed="drift STACK --json", exits="0; 1 where anything differs"
    ),
    Printed(
        command="recover",
        model=RecoverDocument,
        typed="recover STACK --json",
        exits="0; 1 where there is anything to recover",
    ),
    Printed(
        command="doctor",
        model=Diagnosis,
        typed="doctor STACK --json",
        exits="0 healthy; 1 sick",
    ),
    Printed(
        command="smoke",
        model=SmokeReport,
        typed="smoke STACK --json",
        exits="0; 1 where an answer is wrong",
    ),
    Printed(
        command="pools",
        model=FoundPools,
        typed="pools --context CONTEXT --json",
        exits="0; 1 where no node can be used",
    ),
)
