"""What the API server asks the webhooks about small graphs."""

from typing import Any

from lab.dynamo_operator.admission import validate

Change = dict[str, Any]


def review(graph: Change, old: Change | None = None) -> Change:
    request = {"uid": "uid-of-request", "operation": "UPDATE" if old else "CREATE"}
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": request | {"object": graph, "oldObject": old},
    }


def refusal(graph: Change, old: Change | None = None) -> str | None:
    response: Change = validate(review(graph, old))["response"]
    assert response["uid"] == "uid-of-request"
    return None if response["allowed"] else response["status"]["message"]


def conversion(api_version: str, *graphs: Change) -> Change:
    request = {"uid": "uid-of-request", "desiredAPIVersion": api_version, "objects": graphs}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": request}
