"""AdmissionReview requests in, AdmissionReview responses out."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lab.dynamo_operator.admission.defaulting import default_patch
from lab.dynamo_operator.admission.graph_rules import check_graph
from lab.dynamo_operator.admission.rule import Circumstances, Refused
from lab.dynamo_operator.admission.service_rules import check_services, deprecations
from lab.dynamo_operator.admission.update_rules import check_update

if TYPE_CHECKING:
    from lab.controller.api import Manifest

_FORBIDDEN = 403


def validate(review: Manifest, circumstances: Circumstances) -> Manifest:
    """The answer of the validating webhook, to which the API server sends every graph as v1alpha1."""
    request = review["request"]
    graph = request["object"]
    # An object that is being deleted only loses its finalizers; the rules would keep it alive.
    if graph["metadata"].get("deletionTimestamp"):
        return _answer(review, {"allowed": True})
    circumstances = replace(circumstances, user=request.get("userInfo", {}).get("username", ""))
    try:
        check_graph(graph)
        check_services(graph, circumstances)
        if request["operation"] == "UPDATE":
            check_update(request["oldObject"], graph, circumstances.user)
    except Refused as refusal:
        return _answer(review, {"allowed": False, "status": {"message": str(refusal), "code": _FORBIDDEN}})
    return _answer(review, {"allowed": True, "warnings": deprecations(graph)})


def mutate(review: Manifest, circumstances: Circumstances) -> Manifest:
    """The answer of the mutating webhook."""
    patch = default_patch(review["request"]["object"], circumstances.configuration.version)
    response: dict[str, Any] = {"allowed": True}
    if patch:
        response |= {"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(patch).encode()).decode()}
    return _answer(review, response)


def pass_unseen(review: Manifest) -> Manifest:
    """The answer for component deployments, which only the operator writes: their rules are not simulated."""
    return _answer(review, {"allowed": True})


def _answer(review: Manifest, response: dict[str, Any]) -> Manifest:
    return {
        "apiVersion": review["apiVersion"],
        "kind": review["kind"],
        "response": {"uid": review["request"]["uid"], **response},
    }
