"""Pulumi's policy host, without work that grows with policies times resources."""

from typing import Any

from pulumi_policy import policy as sdk

_Servicer: Any = sdk._PolicyAnalyzerServicer  # noqa: SLF001 - the SDK has no other hook; its version is pinned


class LeanServicer(_Servicer):
    """Hands stack policies no properties of resources whose inputs a resource policy was shown.

    The SDK converts all properties, the provider's included, anew for each policy, where nobody reads them:
    0.3 s of a preview of 102 resources with 90 policies, measured in the process on two cores.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._shown: set[str] = set()

    def Analyze(self, request: Any, context: Any) -> Any:  # noqa: D102, N802 - gRPC's method
        self._shown.add(request.urn)
        return super().Analyze(request, context)

    def AnalyzeStack(self, request: Any, context: Any) -> Any:  # noqa: D102, N802 - gRPC's method
        for resource in request.resources:
            if resource.urn in self._shown:
                resource.ClearField("properties")
            if resource.HasField("provider"):
                resource.provider.ClearField("properties")
        return super().AnalyzeStack(request, context)


def install() -> None:
    """Make every pack of this process run on it."""
    sdk._PolicyAnalyzerServicer = LeanServicer  # noqa: SLF001 - see above
