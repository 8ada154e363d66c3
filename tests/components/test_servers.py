"""etcd and NATS as the program registers them."""

from typing import Any

import pytest

from resource_graph import ResourceGraph
from stacks.plan.platform.platform_plan import ETCD_NAME, NATS_NAME, OwnPlatform
from tests.components.recorded import named, objects, recorded, spec_of
from tests.support.dev_settings import disagg_b200_settings, resolved

BOTH = (ETCD_NAME, NATS_NAME)
# What Dynamo's own tests run against (ai-dynamo/dynamo, d50a02f75).
IMAGES = {ETCD_NAME: "quay.io/coreos/etcd:v3.5.21", NATS_NAME: "docker.io/library/nats:2.11.4-alpine"}


def _settings(members: int = 3, **etcd: Any) -> dict[str, Any]:
    settings = disagg_b200_settings()
    own = {"kind": "own", "members": members, "storageClassName": "fast-disks"}
    settings["platform"] |= {"discovery": "etcd", "etcd": own | etcd, "nats": own}
    return settings


def _graph(members: int = 3, **etcd: Any) -> ResourceGraph:
    return recorded(_settings(members, **etcd))


def _pod(name: str, members: int = 3) -> Any:
    return spec_of(_graph(members), f"StatefulSet {name}")["template"]["spec"]


@pytest.mark.parametrize("name", BOTH)
def test_members_share_no_node_prefer_other_zones_and_take_no_room_on_a_gpu_node(name: str) -> None:
    pod = _pod(name)
    spread = {each["topologyKey"]: each["whenUnsatisfiable"] for each in pod["topologySpreadConstraints"]}
    assert spread == {
        "kubernetes.io/hostname": "DoNotSchedule",
        "topology.kubernetes.io/zone": "ScheduleAnyway",
    }
    labels = spec_of(_graph(), f"StatefulSet {name}")["template"]["metadata"]["labels"]
    for each in pod["topologySpreadConstraints"]:
        assert each["labelSelector"]["matchLabels"].items() <= labels.items()
    affinity = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    [term] = affinity["nodeSelectorTerms"]
    no_gpu = {"key": "nvidia.com/gpu.present", "operator": "NotIn", "values": ["true"]}
    assert no_gpu in term["matchExpressions"]


@pytest.mark.parametrize("name", BOTH)
def test_members_start_together_find_each_other_and_stand_before_the_operator(name: str) -> None:
    spec = spec_of(_graph(), f"StatefulSet {name}")
    headless = spec_of(_graph(), f"Service {name}-headless")
    assert (spec["replicas"], spec["podManagementPolicy"]) == (3, "Parallel")
    assert spec["serviceName"] == f"{name}-headless"
    assert (headless["clusterIP"], headless["publishNotReadyAddresses"]) == ("None", True)
    found = objects(_graph())
    assert found[f"Service {name}-headless"].urn in found[f"StatefulSet {name}"].dependencies
    for server in (found[f"StatefulSet {name}"], found[f"Service {name}"]):
        assert server.urn in found["Release dynamo-platform"].dependencies
        assert server.urn in found["DynamoGraphDeployment gpt-oss-disagg"].dependencies
        assert (server.custom_timeouts.create, server.custom_timeouts.delete) == (600, 300)


@pytest.mark.parametrize("name", BOTH)
def test_a_drain_takes_one_of_three_members_and_a_single_member_never_blocks_one(name: str) -> None:
    assert spec_of(_graph(3), f"PodDisruptionBudget {name}")["maxUnavailable"] == 1
    assert named(_graph(1), "PodDisruptionBudget") == []
    assert "topologySpreadConstraints" not in _pod(name, members=1)


@pytest.mark.parametrize("name", BOTH)
def test_a_member_runs_upstreams_image_without_root_and_without_any_privilege(name: str) -> None:
    pod = _pod(name)
    [container] = pod["containers"]
    assert container["image"] == IMAGES[name]
    assert "bitnami" not in str(dict(objects(_graph())[f"StatefulSet {name}"].inputs))
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert pod["automountServiceAccountToken"] is False
    assert {"cpu", "memory"} <= container["resources"]["requests"].keys()
    assert "memory" in container["resources"]["limits"]


@pytest.mark.parametrize(("lifecycle", "kept"), [("production", "Retain"), ("disposable", "Delete")])
def test_members_volumes_outlive_the_stack_exactly_where_explain_says_so(lifecycle: str, kept: str) -> None:
    settings = _settings() | {"lifecycle": lifecycle}
    platform = resolved(settings).platform
    assert isinstance(platform, OwnPlatform)
    promised = {item.name for item in resolved(settings).retained if item.kind == "PersistentVolumeClaim"}
    for name, group in ((ETCD_NAME, "etcd"), (NATS_NAME, "nats")):
        spec = spec_of(recorded(settings), f"StatefulSet {name}")
        [template] = spec["volumeClaimTemplates"]
        assert spec["persistentVolumeClaimRetentionPolicy"] == {"whenDeleted": kept, "whenScaled": "Retain"}
        claims = {f"{template['metadata']['name']}-{name}-{member}" for member in range(spec["replicas"])}
        assert claims == set(getattr(platform, group).claim_names)
        assert claims.isdisjoint(promised) == (kept == "Delete")
        assert template["spec"]["storageClassName"] == "fast-disks"


def test_etcd_is_ready_by_its_quorum_and_restarted_without_and_its_quota_leaves_room_on_the_volume() -> None:
    [container] = _pod(ETCD_NAME)["containers"]
    probes = ("startupProbe", "livenessProbe", "readinessProbe")
    assert [container[probe]["httpGet"]["path"] for probe in probes] == ["/livez", "/livez", "/readyz"]
    assert "--auto-compaction-retention=1h" in container["command"]
    assert f"--quota-backend-bytes={2 * 2**30}" in container["command"]
    [small] = spec_of(_graph(volumeSize="3Gi"), f"StatefulSet {ETCD_NAME}")["template"]["spec"]["containers"]
    assert f"--quota-backend-bytes={2**30}" in small["command"]


def test_clients_of_etcd_are_given_names_that_its_members_answer_to() -> None:
    [container] = _pod(ETCD_NAME)["containers"]
    advertised = [word for word in container["command"] if word.startswith("--advertise-client-urls=")]
    values: Any = objects(_graph())["Release dynamo-platform"].inputs["values"]
    for member, address in enumerate(values["dynamo-operator"]["etcdAddr"].split(",")):
        assert f"--advertise-client-urls={address}" == advertised[0].replace(
            "$(POD_NAME)", f"{ETCD_NAME}-{member}"
        )


def test_a_changed_nats_configuration_restarts_servers_which_have_time_to_send_their_clients_away() -> None:
    larger = _settings()
    larger["platform"]["nats"] = larger["platform"]["nats"] | {"volumeSize": "20Gi"}
    names = [
        {name for name in named(graph, "ConfigMap") if name.startswith(NATS_NAME)}
        for graph in (_graph(), recorded(larger))
    ]
    assert names[0].isdisjoint(names[1])
    pod = _pod(NATS_NAME)
    assert {each["configMap"]["name"] for each in pod["volumes"] if "configMap" in each} == names[0]
    assert pod["terminationGracePeriodSeconds"] > 10 + 30
