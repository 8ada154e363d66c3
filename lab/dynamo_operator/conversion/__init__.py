"""Graphs and component deployments in v1alpha1 and v1beta1, translated as the 1.2 operator's webhook does.

v1alpha1 is stored, v1beta1 is what the controllers read. Source: ai-dynamo/dynamo
deploy/operator/api/v1alpha1/*_conversion.go at 0a132bc43; its faults are kept where a graph could meet them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.dynamo_operator.conversion import components, graphs

if TYPE_CHECKING:
    from lab.controller.api import Manifest

GROUP = "nvidia.com"
V1ALPHA1 = f"{GROUP}/v1alpha1"
V1BETA1 = f"{GROUP}/v1beta1"
GRAPH = "DynamoGraphDeployment"
COMPONENT = "DynamoComponentDeployment"


def converted(manifest: Manifest, api_version: str) -> Manifest:
    """The object in this version; one that has it already comes back as it is.

    Raises KeyError for a kind or a version that the webhook does not convert.
    """
    if manifest["apiVersion"] == api_version:
        return manifest
    module = {GRAPH: graphs, COMPONENT: components}[manifest["kind"]]
    translate = {V1BETA1: module.to_beta, V1ALPHA1: module.to_alpha}[api_version]
    return translate(manifest) | {"apiVersion": api_version, "kind": manifest["kind"]}
