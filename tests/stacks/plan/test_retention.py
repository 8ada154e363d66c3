"""What `destroy` leaves: what is listed, and what is registered."""

import pytest

from stacks.plan.versions import PLATFORM_RELEASES
from tests.stacks.changed_settings import SOMEBODY_ELSES_VOLUME, Change, Settings, changed
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings
from tests.support.recordings import recorded_stack

B200 = eks_b200_settings()
GB200 = eks_gb200_settings()
EXISTING = disagg_b200_settings()
EVERY_LIFECYCLE = pytest.mark.parametrize("lifecycle", ["production", "disposable"])
ETCD: Change = {
    "platform.discovery": "etcd",
    "platform.etcd": {"kind": "own", "members": 1, "storageClassName": "fast-disks"},
}
PLATFORM_OF_OTHERS: Change = {"platform": {"kind": "existing", "version": "1.2.1"}}

OF_EKS = ["Log group /aws/eks/gpt-oss/cluster", "KMS key Secrets of the cluster gpt-oss"]
PLANNERS = [
    "ServiceAccount gpt-oss/planner-serviceaccount",
    "RoleBinding gpt-oss/planner-serviceaccount-binding",
]
MODEL = ["PersistentVolumeClaim gpt-oss/model-cache", "Namespace gpt-oss"]
NATS = [f"PersistentVolumeClaim dynamo-system/data-dynamo-nats-{member}" for member in range(3)]
NAMESPACE = ["Secret dynamo-system/webhook-server-cert", "Namespace dynamo-system"]
OF_OPERATORS = [
    "Lease kube-system/dynamo.nvidia.com",
    *(f"CustomResourceDefinition {name}" for name in PLATFORM_RELEASES["1.2.1"]),
]


def _left(settings: Settings) -> list[str]:
    """Kind and place of everything that `destroy` leaves."""
    return [
        f"{item.kind} {item.namespace}/{item.name}" if item.namespace else f"{item.kind} {item.name}"
        for item in resolved(settings).retained
    ]


@pytest.mark.parametrize(
    ("settings", "production", "disposable"),
    [
        pytest.param(B200, OF_EKS, OF_EKS, id="a cluster, with all that AWS lets go"),
        pytest.param(
            GB200,
            [*OF_EKS, "Local Zone group us-east-1-dfw-2"],
            [*OF_EKS, "Local Zone group us-east-1-dfw-2"],
            id="a cluster with nodes in a Local Zone",
        ),
        pytest.param(
            EXISTING,
            [*MODEL, *PLANNERS, *NATS, *NAMESPACE, *OF_OPERATORS],
            OF_OPERATORS,
            id="model, platform and their namespaces",
        ),
        pytest.param(
            changed(EXISTING, ETCD),
            [
                *MODEL,
                *PLANNERS,
                *NATS,
                "PersistentVolumeClaim dynamo-system/data-dynamo-etcd-0",
                *NAMESPACE,
                *OF_OPERATORS,
            ],
            OF_OPERATORS,
            id="etcd",
        ),
        pytest.param(
            changed(EXISTING, PLATFORM_OF_OTHERS), [*MODEL, *PLANNERS], [], id="a platform of others"
        ),
        pytest.param(
            changed(EXISTING, SOMEBODY_ELSES_VOLUME, PLATFORM_OF_OTHERS),
            PLANNERS,
            PLANNERS,
            id="somebody else's volume in its namespace",
        ),
    ],
)
def test_destroy_leaves_data_in_production_and_what_nobody_deletes_always(
    settings: Settings, production: list[str], disposable: list[str]
) -> None:
    for lifecycle, left in (("production", production), ("disposable", disposable)):
        assert _left(settings | {"lifecycle": lifecycle}) == left


def test_a_stack_is_in_production_where_nobody_says_otherwise() -> None:
    assert resolved(EXISTING) == resolved(EXISTING | {"lifecycle": "production"})


@EVERY_LIFECYCLE
@pytest.mark.parametrize(("settings", "kept"), [(B200, []), (GB200, ["us-east-1-dfw-2"])])
def test_nothing_is_registered_to_stay_but_the_opt_in(
    settings: Settings, kept: list[str], lifecycle: str
) -> None:
    graph = recorded_stack(resolved(settings | {"lifecycle": lifecycle}))
    assert [each.inputs["groupName"] for each in graph if each.retain_on_delete] == kept


IN_CLUSTER = {"Namespace", "PersistentVolumeClaim"}


@pytest.mark.parametrize(("settings", "file_system"), [(B200, "LustreFileSystem"), (GB200, "FileSystem")])
def test_what_holds_something_for_good_is_protected_in_production(
    settings: Settings, file_system: str
) -> None:
    production, disposable = (
        {each.type.rpartition(":")[2] for each in recorded_stack(resolved(settings | typed)) if each.protect}
        for typed in ({"lifecycle": "production"}, {"lifecycle": "disposable"})
    )
    assert production == {"Vpc", "Subnet", "Cluster", "Key", file_system, *IN_CLUSTER}
    assert disposable == set()
