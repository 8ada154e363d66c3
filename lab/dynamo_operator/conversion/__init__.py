"""Graphs and component deployments in v1alpha1 and v1beta1, translated as the 1.2 operator's webhook does.

v1alpha1 is stored, v1beta1 is what the controllers read. Source: ai-dynamo/dynamo
deploy/operator/api/v1alpha1/*_conversion.go at 0a132bc43; its faults are kept where a graph could meet them.
Fields that no recorded graph has are refused, in either version (`fields`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.dynamo_operator.conversion import manifests

if TYPE_CHECKING:
    from lab.controller.api import Manifest

GROUP = "nvidia.com"
V1ALPHA1 = f"{GROUP}/v1alpha1"
V1BETA1 = f"{GROUP}/v1beta1"
GRAPH = "DynamoGraphDeployment"
COMPONENT = "DynamoComponentDeployment"

_TRANSLATIONS = {
    (GRAPH, V1BETA1): manifests.graph_to_beta,
    (GRAPH, V1ALPHA1): manifests.graph_to_alpha,
    (COMPONENT, V1BETA1): manifests.deployment_to_beta,
    (COMPONENT, V1ALPHA1): manifests.deployment_to_alpha,
}


def converted(manifest: Manifest, api_version: str) -> Manifest:
    """The object in this version; one that has it already comes back as it is.

    Raises KeyError for a kind or a version that the webhook does not convert, NotSimulated for a field.
    """
    kind = manifest["kind"]
    if manifest["apiVersion"] == api_version:
        return manifest
    return _TRANSLATIONS[kind, api_version](manifest) | {"apiVersion": api_version, "kind": kind}


def convert(review: Manifest) -> Manifest:
    """ConversionReview (apiextensions.k8s.io/v1): every object in the version asked for, or why not."""
    request = review["request"]
    answer: dict[str, Any] = {"uid": request["uid"], "convertedObjects": [], "result": {"status": "Success"}}
    try:
        answer["convertedObjects"] = [
            converted(each, request["desiredAPIVersion"]) for each in request["objects"]
        ]
    except (KeyError, TypeError, ValueError) as error:
        answer["result"] = {"status": "Failed", "message": f"{type(error).__name__}: {error}"}
    return {"apiVersion": review["apiVersion"], "kind": review["kind"], "response": answer}
