"""ConversionReview requests in, ConversionReview responses out (apiextensions.k8s.io/v1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.dynamo_operator.conversion import converted

if TYPE_CHECKING:
    from lab.controller.api import Manifest


def convert(review: Manifest) -> Manifest:
    """Every object of the request in the version that it asks for, or why not."""
    request = review["request"]
    answer: dict[str, Any] = {"uid": request["uid"], "convertedObjects": [], "result": {"status": "Success"}}
    try:
        answer["convertedObjects"] = [
            converted(each, request["desiredAPIVersion"]) for each in request["objects"]
        ]
    except (KeyError, TypeError, ValueError) as error:
        answer["result"] = {"status": "Failed", "message": f"{type(error).__name__}: {error}"}
    return {"apiVersion": review["apiVersion"], "kind": review["kind"], "response": answer}
