"""One look at a deployment, from its nodes up to an answer of its frontend; it changes nothing."""

import datetime as dt
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from components.dynamo_objects import FRONTEND_PORT, frontend_service
from failures.pods_and_events import is_ready
from operations.doctor.finding import Diagnosis, Finding, Needs, Stage, last_signed
from operations.doctor.foundations import (
    database_service_findings,
    download_findings,
    frontend_service_findings,
    graph_findings,
    operator_findings,
    server_findings,
    volume_findings,
)
from operations.doctor.kv_path import counted, kv_proof, transfer_findings
from operations.doctor.nodes import node_findings, pool_findings
from operations.doctor.pods import lost_files, missing_findings, pod_findings, recent_ends
from operations.doctor.view import View, name_of
from operations.document import Verdict
from operations.port_forward import PortForward
from operations.smoke import run
from operations.smoke.checks import CHECKS
from operations.smoke.client import Frontend
from operations.smoke.registration import listed_models
from operations.smoke.results import SmokeReport, WrongAnswer


def diagnose(view: View, report: SmokeReport, now: dt.datetime) -> Diagnosis:
    """Return what the cluster's words and the frontend's answers come to; `now`: by this machine's clock.

    Raises:
        CommandError: nothing is wrong, and this account may not ask the frontend.

    """
    transfers = counted(view)
    proof = kv_proof(view, [*transfers.values()], is_mock=report.is_mock)
    findings = [
        *node_findings(view),
        *pool_findings(view),
        *volume_findings(view),
        *download_findings(view),
        *operator_findings(view),
        *server_findings(view),
        *database_service_findings(view),
        *frontend_service_findings(view),
        *graph_findings(view),
        *missing_findings(view),
        *pod_findings(view, now),
        *answer_findings(view, report),
        *transfer_findings(view, proof, transfers),
    ]
    causes, symptoms = split(findings, view.needs())
    if causes and all(each.stage >= Stage.REGISTRATION for each in causes):
        causes, symptoms = split([*findings, *log_findings(view)], view.needs())
    notes = (*lost_files(view), *recent_ends(view, now))
    if report.refusal and not causes:
        raise run.not_allowed(report, view.cluster, view.served.namespace, notes)
    return Diagnosis(
        target=view.asked.name,
        healthy=not causes,
        answered_seconds=_answered(report),
        mock_engine=report.is_mock,
        causes=causes,
        symptoms=symptoms,
        notes=notes,
        unseen=tuple(filter(None, (*view.unseen(), report.refusal, *unasked(view)))),
        kv_path=proof,
        seconds=round(time.monotonic() - view.began, 1),
    )


def split(findings: Iterable[Finding], needs: Needs) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return causes and symptoms, each from the ground up.

    A symptom is about a part that needs another one, directly or not, about which there is a finding.
    """
    ordered = sorted(findings, key=lambda each: (each.stage, each.about))
    wrong = {each.about for each in ordered}
    causes = tuple(each for each in ordered if not (_below(each.about, needs) & wrong))
    return causes, tuple(each for each in ordered if each not in causes)


_ANSWER_SECONDS = 10.0
"""As late as a first token may come by NVIDIA's guide on every path but TCP (hardware/kv_transport)."""
_LISTING_SECONDS = 3.0
_OPEN_SECONDS = 5.0
_QUESTIONS = [each for each in CHECKS if each.name in {"chat", "stream", "first-token"}]
_PARTS = {
    "frontend": (Stage.REGISTRATION, "frontend", "the frontend does not answer"),
    "workers": (Stage.REGISTRATION, "workers", "a worker is missing"),
    "model": (Stage.MODEL, "model", "the model is not served"),
    "chat": (Stage.ANSWER, "answer", "a completion failed"),
    "stream": (Stage.ANSWER, "answer", "a streamed completion failed"),
    "first-token": (Stage.TRANSFER, "transfer", "the first token of a long prompt is late"),
}
"""Question of `smoke` -> what is wrong where its answer is."""
_LOG_LINES = "--tail=400"


def asked(view: View) -> SmokeReport:
    """Ask the frontend as a client does, through a port-forward."""
    served = view.served
    with PortForward(view.cluster, served.namespace, served.graph, seconds=_OPEN_SECONDS) as forward:
        frontend = Frontend(forward.address, seconds=_ANSWER_SECONDS, by_proxy=False)
        question = view.asked
        if not question.model:
            # Of a graph that others deployed: whichever model is listed first.
            try:
                listed = listed_models(frontend, _LISTING_SECONDS)
            except WrongAnswer:
                listed = ()
            question = replace(question, model=listed[0] if listed else "any model")
        left_out = "first-token" if any(unasked(view)) else ""
        checks = [each for each in _QUESTIONS if each.name != left_out]
        return run.ask(question, frontend, lambda _: None, wait=0, checks=checks)


def unasked(view: View) -> Iterator[str]:
    """Yield what the doctor has no time to ask."""
    path = view.asked.kv_path
    if path is not None and path.late_first_token_seconds > _ANSWER_SECONDS:
        yield (
            f"first token of a long prompt: over {path.transport} it may take "
            f"{path.late_first_token_seconds:g} s; `dynamo-stack smoke {view.asked.stack}` waits for it"
        )


def answer_findings(view: View, report: SmokeReport) -> Iterator[Finding]:
    """Return which of the questions were answered wrong."""
    service = f"service/{frontend_service(view.served.graph)}"
    forward = ("port-forward", "--namespace", view.served.namespace, service, str(FRONTEND_PORT))
    command = f"dynamo-stack smoke {view.asked.stack}" if view.asked.stack else view.cluster.command(*forward)
    for result in report.results:
        if result.verdict is Verdict.WRONG:
            stage, about, title = _PARTS[result.name]
            yield Finding(
                stage=stage,
                about=about,
                what=f"{title}: {result.found}",
                setting="serving",
                fix=result.fix,
                command=command,
                page="graph-never-ready",
            )


def log_findings(view: View) -> Iterator[Finding]:
    """Return known faults out of the logs of pods that are Ready, for a deployment that does not answer."""
    for pod in filter(is_ready, view.live_pods):
        name = pod["metadata"]["name"]
        namespace = view.served.namespace
        words = (name, "--namespace", namespace, "--all-containers", _LOG_LINES)
        if signed := last_signed(view.cluster.log(*words).splitlines(), Stage.REGISTRATION):
            known, line = signed
            yield Finding(
                about=name_of(pod),
                what=f"{name_of(pod)} is Ready, and its log says: {known.means}",
                evidence=(line,),
                command=view.cluster.command("logs", *words),
                **known.advice(view.asked.stack),
            )


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
