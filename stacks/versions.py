"""Every version that the product itself chooses: the Dynamo platform and what belongs to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from recipes.placed import GraphApi

CHART = "dynamo-platform"
CHART_REPOSITORY = "https://helm.ngc.nvidia.com/nvidia/ai-dynamo"
OPERATOR_IMAGE = "nvcr.io/nvidia/ai-dynamo/kubernetes-operator"
"""Repository; the chart adds its own version as the tag."""

# The versions that Dynamo's own tests run against (ai-dynamo/dynamo, test compose files of the 1.2 line).
ETCD_IMAGE = "quay.io/coreos/etcd:v3.5.21"
NATS_IMAGE = "docker.io/library/nats:2.11.4-alpine"


@dataclass(frozen=True, slots=True)
class PlatformRelease:
    """One release of the Dynamo platform chart."""

    version: str
    line: str
    """Minor version: recipes are written for a line."""
    graph_apis: tuple[GraphApi, ...]
    """API versions in which its operator takes graphs."""
    custom_resource_definitions: tuple[str, ...]
    """What the chart installs once and no uninstall ever deletes."""


# The operator subchart's crds/ folder of the 1.2 line (ai-dynamo/dynamo deploy/helm/charts/platform).
_CRDS_1_2 = (
    "dynamocheckpoints.nvidia.com",
    "dynamocomponentdeployments.nvidia.com",
    "dynamographdeploymentrequests.nvidia.com",
    "dynamographdeployments.nvidia.com",
    "dynamographdeploymentscalingadapters.nvidia.com",
    "dynamomodels.nvidia.com",
    "dynamoworkermetadatas.nvidia.com",
)

PLATFORM_RELEASES: Mapping[str, PlatformRelease] = MappingProxyType(
    {
        "1.2.1": PlatformRelease(
            version="1.2.1",
            line="1.2",
            graph_apis=("v1alpha1", "v1beta1"),
            custom_resource_definitions=_CRDS_1_2,
        )
    }
)
