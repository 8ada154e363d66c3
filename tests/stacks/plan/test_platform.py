from typing import Any

import pytest

from components.servers import BundledServers, EtcdArgs, EtcdServers, ExternalServers, NatsArgs
from stacks.plan.platform import ExistingPlatform, OwnPlatform
from tests.support.dev_settings import dev_settings, disagg_b200_settings, problems_of, resolved

OWN = {"kind": "own", "members": 3, "storageClassName": "fast-disks"}
BUNDLED = {"kind": "bundled", "storageClassName": "fast-disks"}
PLANNERS = [("ServiceAccount", "planner-serviceaccount"), ("RoleBinding", "planner-serviceaccount-binding")]


def _platform(**platform: Any) -> dict[str, Any]:
    settings = disagg_b200_settings()
    settings["platform"] |= platform
    return settings


def _with_etcd(etcd: dict[str, Any]) -> dict[str, Any]:
    return _platform(discovery="etcd", etcd=etcd)


def _own(settings: dict[str, Any]) -> OwnPlatform:
    platform = resolved(settings).platform
    assert isinstance(platform, OwnPlatform)
    return platform


def _etcd(settings: dict[str, Any]) -> EtcdServers:
    etcd = _own(settings).etcd
    assert etcd is not None
    return etcd


def _own_etcd(settings: dict[str, Any]) -> EtcdArgs:
    etcd = _etcd(settings)
    assert isinstance(etcd, EtcdArgs)
    return etcd


def _reasons(settings: dict[str, Any]) -> dict[str, str]:
    found = [one for one in resolved(settings).decisions if one.topic == "servers"]
    return {one.subject: f"{one.choice}; {one.reason}" for one in found}


def _existing() -> dict[str, Any]:
    settings = disagg_b200_settings()
    settings["platform"] = {"kind": "existing", "version": "1.2.1"}
    return settings


def test_own_nats_answers_at_its_service() -> None:
    nats = _own(_platform(namespace="platform")).nats
    assert isinstance(nats, NatsArgs)
    assert nats.address == "nats://dynamo-nats.platform.svc.cluster.local:4222"
    servers = nats.servers
    assert (servers.members, servers.image) == (3, "docker.io/library/nats:2.11.4-alpine")
    assert (servers.storage_class_name, servers.volume_size) == ("fast-disks", "10Gi")


def test_clients_know_every_own_etcd_member() -> None:
    members = [f"http://dynamo-etcd-{member}.dynamo-etcd-headless" for member in range(3)]
    domain = ".dynamo-system.svc.cluster.local:2379"
    etcd = _own_etcd(_with_etcd(OWN))
    assert etcd.address == ",".join(f"{member}{domain}" for member in members)
    assert (etcd.servers.image, etcd.servers.volume_size) == ("quay.io/coreos/etcd:v3.5.21", "8Gi")
    assert _etcd(_with_etcd(OWN | {"members": 1})).address == f"{members[0]}{domain}"


def test_bundled_servers_answer_at_the_charts_addresses() -> None:
    settings = _with_etcd(BUNDLED)
    settings["platform"]["nats"] = BUNDLED
    release = _own(settings)
    domain = "dynamo-system.svc.cluster.local"
    assert release.nats == BundledServers(f"nats://dynamo-platform-nats.{domain}:4222", "fast-disks")
    assert release.etcd == BundledServers(f"dynamo-platform-etcd.{domain}:2379", "fast-disks")
    assert "archived images (bitnamilegacy)" in _reasons(settings)["etcd"]


def test_external_servers_are_passed_on_as_they_were_typed() -> None:
    settings = _with_etcd({"kind": "external", "addresses": ["http://one:2379", "http://two:2379"]})
    settings["platform"]["nats"] = {"kind": "external", "address": "nats://nats.example.com:4222"}
    assert _own(settings).nats == ExternalServers("nats://nats.example.com:4222")
    assert _etcd(settings) == ExternalServers("http://one:2379,http://two:2379")


def test_discovery_in_etcd_needs_an_etcd() -> None:
    [problem] = problems_of(_platform(discovery="etcd"))
    assert (problem.key, problem.value) == ("platform.etcd", None)
    assert "with discovery etcd" in problem.message


def test_an_etcd_that_nothing_would_use_is_refused() -> None:
    [problem] = problems_of(_platform(etcd=OWN))
    assert (problem.key, problem.value) == ("platform.etcd", "own")
    assert problem.suggestion == "leave platform.etcd out, or write platform.discovery: etcd"


def test_a_single_member_has_nothing_to_join_again() -> None:
    assert _own_etcd(_with_etcd(OWN | {"rejoining": True})).rejoining
    [problem] = problems_of(_with_etcd(OWN | {"members": 1, "rejoining": True}))
    assert problem.key == "platform.etcd.rejoining"


def test_three_members_say_what_they_buy_and_what_not() -> None:
    reasons = _reasons(_with_etcd(OWN))
    assert "pods serve on without it, none starts; streams of a member that is away wait" in reasons["NATS"]
    assert "more than 10 s without two of them stops all workers" in reasons["etcd"]


@pytest.mark.parametrize("api", ["v1alpha1", "v1beta1"])
def test_a_graph_is_written_in_the_version_that_was_typed(api: str) -> None:
    assert resolved(_platform(graphApi=api)).graph_api_version == f"nvidia.com/{api}"


def test_an_existing_platform_is_left_alone() -> None:
    stack = resolved(_existing())
    assert isinstance(stack.platform, ExistingPlatform)
    assert [(item.kind, item.name) for item in stack.retained] == [
        ("PersistentVolumeClaim", "model-cache"),
        ("Namespace", "gpt-oss"),
        *PLANNERS,
    ]


def test_the_version_of_an_existing_platform_counts_as_well() -> None:
    settings = _existing()
    settings["platform"]["version"] = "1.3.0"
    [problem] = problems_of(settings)
    assert (problem.key, problem.allowed) == ("platform.version", '"1.2.1", "1.4.2"')


def test_images_come_from_the_mirrors() -> None:
    settings = _with_etcd(OWN)
    settings["imageMirrors"] = {
        "docker.io": "mirror.example.com/hub",
        "quay.io": "mirror.example.com/quay",
        "nvcr.io": "mirror.example.com/nvcr",
    }
    release = _own(settings)
    assert isinstance(release.nats, NatsArgs)
    assert release.nats.servers.image == "mirror.example.com/hub/library/nats:2.11.4-alpine"
    assert _own_etcd(settings).servers.image == "mirror.example.com/quay/coreos/etcd:v3.5.21"
    assert release.operator_image == "mirror.example.com/nvcr/nvidia/ai-dynamo/kubernetes-operator"
    assert dict(resolved(settings).serving.placed.image_mirrors) == settings["imageMirrors"]


def test_a_server_that_would_be_pulled_past_the_mirror_is_refused() -> None:
    settings = _with_etcd(BUNDLED)
    settings["imageMirrors"] = {"docker.io": "mirror.example.com/hub"}
    settings["platform"]["nats"] = BUNDLED
    problems = problems_of(settings)
    assert [problem.key for problem in problems] == ["platform.nats.kind", "platform.etcd.kind"]
    assert {problem.suggestion for problem in problems} == {"kind: own"}


def test_the_charts_own_operator_image_stays_without_a_mirror() -> None:
    assert _own(dev_settings()).operator_image is None


def test_destroy_of_a_production_stack_leaves_the_data_of_its_own_servers() -> None:
    kept = [(item.kind, item.name, item.namespace) for item in resolved(_with_etcd(OWN)).retained]
    claims = [f"data-dynamo-{server}-{member}" for server in ("nats", "etcd") for member in range(3)]
    assert kept[:13] == [
        ("PersistentVolumeClaim", "model-cache", "gpt-oss"),
        ("Namespace", "gpt-oss", None),
        *[(*planner, "gpt-oss") for planner in PLANNERS],
        *[("PersistentVolumeClaim", claim, "dynamo-system") for claim in claims],
        ("Secret", "webhook-server-cert", "dynamo-system"),
        ("Namespace", "dynamo-system", None),
        ("Lease", "dynamo.nvidia.com", "kube-system"),
    ]
    assert {kind for kind, *_ in kept[13:]} == {"CustomResourceDefinition"}


def test_what_is_left_is_named_by_the_server_whose_data_it_is() -> None:
    reasons = {item.name: item.reason for item in resolved(disagg_b200_settings()).retained}
    assert reasons["data-dynamo-nats-0"] == "lifecycle production keeps the data of NATS"
    assert reasons["dynamo-system"] == "it holds the data of NATS, and would take it along"


def test_destroy_of_a_disposable_stack_leaves_no_data() -> None:
    settings = _with_etcd(OWN) | {"lifecycle": "disposable"}
    assert {item.kind for item in resolved(settings).retained} == {"Lease", "CustomResourceDefinition"}
