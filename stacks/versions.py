"""Every version that the product itself chooses: the Dynamo platform and what belongs to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

CHART = "dynamo-platform"
CHART_REPOSITORY = "https://helm.ngc.nvidia.com/nvidia/ai-dynamo"


@dataclass(frozen=True, slots=True)
class PlatformRelease:
    """One release of the Dynamo platform chart."""

    version: str
    line: str
    """Minor version: recipes are written for a line."""
    graph_api_version: str
    """API version in which this line stores graphs."""
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
            graph_api_version="nvidia.com/v1alpha1",
            custom_resource_definitions=_CRDS_1_2,
        )
    }
)
