"""One look at a deployment, from the nodes up to a completion; it changes nothing."""

import datetime as dt
import time
from collections.abc import Iterable

from operations.doctor.answers import answer_findings, asked, log_findings, unasked
from operations.doctor.finding import Diagnosis, Finding, Needs, Stage
from operations.doctor.foundations import (
    download_findings,
    graph_findings,
    node_findings,
    operator_findings,
    pool_findings,
    server_findings,
    volume_findings,
)
from operations.doctor.kv_path import counted, kv_proof, transfer_findings
from operations.doctor.pods import missing_findings, pod_findings, recent_ends
from operations.doctor.target import Target
from operations.doctor.view import View, look
from operations.document import Verdict
from operations.smoke.checks import SmokeReport


def diagnose(target: Target, now: dt.datetime) -> Diagnosis:
    """Return what is wrong and why; `now`: the moment, by this machine's clock.

    Raises:
        CommandError: the cluster does not say what the deployment is.

    """
    start = time.monotonic()
    view = look(target)
    found = judged(view, asked(target), now)
    return found.model_copy(update={"seconds": round(time.monotonic() - start, 1)})


def judged(view: View, report: SmokeReport, now: dt.datetime) -> Diagnosis:
    """Return what the cluster's words and the frontend's answers come to."""
    transfers = counted(view)
    proof = kv_proof(view, [*transfers.values()], is_mock=report.is_mock)
    findings = [
        *node_findings(view),
        *pool_findings(view),
        *volume_findings(view),
        *download_findings(view),
        *operator_findings(view),
        *server_findings(view),
        *graph_findings(view),
        *missing_findings(view),
        *pod_findings(view, now),
        *answer_findings(view, report),
        *transfer_findings(view, proof, transfers),
    ]
    causes, symptoms = split(findings, view.needs())
    if causes and all(each.stage >= Stage.REGISTRATION for each in causes):
        causes, symptoms = split([*findings, *log_findings(view)], view.needs())
    return Diagnosis(
        target=view.target.asked.name,
        healthy=not causes,
        answered_seconds=_answered(report),
        mock_engine=report.is_mock,
        causes=causes,
        symptoms=symptoms,
        notes=tuple(recent_ends(view, now)),
        unseen=(*view.unseen(), *unasked(view.target)),
        kv_path=proof,
        seconds=0,
    )


def split(findings: Iterable[Finding], needs: Needs) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return causes and symptoms, each from the ground up.

    A symptom is about a part that needs another one, directly or not, about which there is a finding.
    """
    ordered = sorted(findings, key=lambda each: (each.stage, each.about))
    wrong = {each.about for each in ordered}
    causes = tuple(each for each in ordered if not (_below(each.about, needs) & wrong))
    return causes, tuple(each for each in ordered if each not in causes)


def _answered(report: SmokeReport) -> float | None:
    found = next((each for each in report.results if each.name == "chat"), None)
    if found is None or found.seconds is None or found.verdict not in {Verdict.GOOD, Verdict.MOCK}:
        return None
    return round(found.seconds, 2)


def _below(part: str, needs: Needs) -> set[str]:
    """All that a part needs, without itself."""
    found: set[str] = set()
    ahead = [part]
    while ahead:
        ahead += (new := needs.get(ahead.pop(), frozenset()) - found)
        found |= new
    return found - {part}
