import pytest

from lab.kubernetes_provider.kinds import RELEASE, UnknownTypeError, require_served


@pytest.mark.parametrize(
    "token",
    [
        "kubernetes:core/v1:ConfigMop",
        "kubernetes:apps/v1:ConfigMap",
        "kubernetes:apps/v1:DeploymentPatch",
        "kubernetes:helm.sh/v4:Chart",
        "kubernetes:nogroup:Thing",
        "aws:ec2/vpc:Vpc",
    ],
)
def test_a_type_that_does_not_exist_or_is_not_served_is_refused(token: str) -> None:
    with pytest.raises(UnknownTypeError):
        require_served(token)


@pytest.mark.parametrize(
    "token", ["kubernetes:core/v1:ConfigMap", "kubernetes:example.com/v1:Thing", RELEASE]
)
def test_typed_kinds_custom_resources_and_releases_are_served(token: str) -> None:
    require_served(token)
