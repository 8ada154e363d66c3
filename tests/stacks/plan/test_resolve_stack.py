import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipes.load import load_recipe
from stacks.plan import timeouts
from stacks.plan.cache_plan import OwnVolume
from stacks.plan.platform import OwnPlatform
from stacks.plan.resolve import resolve
from stacks.plan.versions import PLATFORM_RELEASES
from stacks.plan.volume_sizes import needed_gib, size_in_gib
from stacks.settings.exposure import IngressExposure, InternalLoadBalancer
from stacks.settings.load import parse_settings
from stacks.settings.stack import WaiverSettings
from tests.support.dev_settings import FILE, dev_settings, problems_of, resolved

MODEL_BYTES = 65_248_815_744


def test_the_dev_stack_resolves_to_what_the_settings_mean() -> None:
    stack = resolved()
    assert (stack.name, stack.source, stack.lifecycle) == ("dev", "Pulumi.dev.yaml", "disposable")
    assert (stack.cluster.kind, stack.cluster.context) == ("existing", "dynamo-lab")
    assert (stack.platform.version, stack.platform.namespace) == ("1.2.1", "dynamo-system")
    assert isinstance(stack.platform, OwnPlatform)
    assert stack.platform.chart.repository == "https://helm.ngc.nvidia.com/nvidia/ai-dynamo"
    assert (stack.serving.namespace, stack.serving.graph_name) == ("gpt-oss", "gpt-oss-disagg")
    assert isinstance(stack.cache, OwnVolume)
    assert stack.cache.size_gib == 150
    assert {placed.pool.name: (placed.used_gpus, placed.free_gpus) for placed in stack.pools} == {
        "b200": (5, 3),
        "gb200": (0, 8),
    }


def test_lifecycle_is_production_when_nobody_says_otherwise() -> None:
    settings = dev_settings()
    del settings["lifecycle"]
    assert resolved(settings).lifecycle == "production"


def test_destroy_of_a_disposable_stack_leaves_the_definitions_and_the_operators_lease() -> None:
    assert [(item.kind, item.name, item.namespace) for item in resolved().retained] == [
        ("Lease", "dynamo.nvidia.com", "kube-system"),
        *[
            ("CustomResourceDefinition", name, None)
            for name in PLATFORM_RELEASES["1.2.1"].custom_resource_definitions.value
        ],
    ]


def test_destroy_of_a_production_stack_also_leaves_the_model_and_its_namespace() -> None:
    settings = dev_settings() | {"lifecycle": "production"}
    kept = [(item.kind, item.name, item.namespace) for item in resolved(settings).retained]
    assert kept[:2] == [("PersistentVolumeClaim", "model-cache", "gpt-oss"), ("Namespace", "gpt-oss", None)]
    assert kept[2:4] == [
        ("ServiceAccount", "planner-serviceaccount", "gpt-oss"),
        ("RoleBinding", "planner-serviceaccount-binding", "gpt-oss"),
    ]
    assert {kind for kind, *_ in kept[4:]} == {"Lease", "CustomResourceDefinition"}


def test_a_wait_is_never_shorter_than_the_slowest_published_time() -> None:
    # The recipe's page waits 3,600 s for the download and allows 30 minutes for loading.
    assert timeouts.download_timeout_seconds(MODEL_BYTES) >= 3600
    assert timeouts.ready_timeout_seconds(MODEL_BYTES) >= 1800
    assert resolved().cache.timeout_seconds == timeouts.download_timeout_seconds(MODEL_BYTES)


def test_a_typed_timeout_wins() -> None:
    settings = dev_settings()
    settings["serving"]["readyTimeoutSeconds"] = 20
    settings["modelCache"]["downloadTimeoutSeconds"] = 30
    settings["platform"]["installTimeoutSeconds"] = 40
    stack = resolved(settings)
    assert isinstance(stack.platform, OwnPlatform)
    assert (
        stack.serving.ready_timeout_seconds,
        stack.cache.timeout_seconds,
        stack.platform.timeout_seconds,
    ) == (20, 30, 40)


@given(model_bytes=st.integers(10**9, 10**12), rate=st.integers(1, 100_000))
def test_faster_storage_never_needs_a_longer_wait(model_bytes: int, rate: int) -> None:
    assert timeouts.ready_timeout_seconds(model_bytes, rate + 1) <= timeouts.ready_timeout_seconds(
        model_bytes, rate
    )
    assert timeouts.load_seconds(model_bytes, 2 * rate) < timeouts.load_seconds(model_bytes, rate)


@given(model_bytes=st.integers(10**9, 2 * 10**12))
def test_larger_models_get_more_time_up_to_what_the_operator_allows(model_bytes: int) -> None:
    assert timeouts.ready_timeout_seconds(model_bytes) <= 7200
    assert timeouts.download_timeout_seconds(model_bytes) <= timeouts.download_timeout_seconds(
        2 * model_bytes
    )
    assert timeouts.ready_timeout_seconds(model_bytes) <= timeouts.ready_timeout_seconds(2 * model_bytes)
    assert timeouts.download_timeout_seconds(model_bytes) % 60 == 0


def test_the_cache_is_sized_for_the_files_that_are_downloaded_and_no_more() -> None:
    assert load_recipe("gpt-oss-120b/trtllm-disagg").model.size_bytes == MODEL_BYTES
    needed = needed_gib(MODEL_BYTES)
    assert MODEL_BYTES / 2**30 < needed < 100


@pytest.mark.parametrize(("size", "gib"), [("1Gi", 1), ("100Gi", 100), ("2Ti", 2048)])
def test_a_volume_size_is_read_in_gib(size: str, gib: int) -> None:
    assert size_in_gib(size) == gib


def test_every_decision_says_why() -> None:
    subjects = {decision.subject: decision for decision in resolved().decisions}
    assert {"model cache", "NATS", "lifecycle"} <= set(subjects)
    assert all(decision.choice and decision.reason for decision in subjects.values())


def test_every_decision_belongs_to_a_topic_of_its_own_kind() -> None:
    topics = {decision.subject: decision.topic for decision in resolved().decisions}
    assert topics["TrtllmDecodeWorker"] == "placement"
    assert topics["NATS"] == "servers"
    assert topics["wait for the graph"] == "timeouts"
    assert len(topics) == len(resolved().decisions)


def test_cluster_access_is_passed_on_as_it_was_typed() -> None:
    settings = dev_settings()
    settings["cluster"] |= {"kubeconfig": "~/.kube/gpu", "server": "https://10.0.0.1:6443"}
    cluster = resolved(settings).cluster
    assert (cluster.kubeconfig, cluster.server) == ("~/.kube/gpu", "https://10.0.0.1:6443")


def test_a_service_is_reachable_from_outside_only_where_that_is_typed() -> None:
    assert resolved().serving.exposure is None
    settings = dev_settings()
    settings["serving"]["exposure"] = {"kind": "internalLoadBalancer"}
    assert resolved(settings).serving.exposure == InternalLoadBalancer(kind="internalLoadBalancer")
    settings["serving"]["exposure"] = {"kind": "ingress", "className": "internal", "host": "llm.example.com"}
    exposure = resolved(settings).serving.exposure
    assert isinstance(exposure, IngressExposure)
    assert (exposure.class_name, exposure.host, exposure.tls_secret_name) == (
        *("internal", "llm.example.com"),
        None,
    )


def test_pods_are_scraped_only_where_that_is_typed() -> None:
    assert resolved().serving.pod_monitor_labels is None
    settings = dev_settings()
    settings["serving"]["podMonitor"] = {"labels": {"release": "prometheus"}}
    assert resolved(settings).serving.pod_monitor_labels == {"release": "prometheus"}


def test_network_policies_are_there_unless_somebody_turns_them_off() -> None:
    assert resolved().network_policies
    assert not resolved(dev_settings() | {"networkPolicies": False}).network_policies


def test_a_waiver_is_passed_on_with_its_reason_and_date() -> None:
    waiver = {"rule": "kv-transport-proven", "reason": "trial on two trays", "expires": "2027-01-31"}
    stack = resolved(dev_settings() | {"waivers": [waiver]})
    assert stack.waivers == (WaiverSettings(**waiver),)


def test_a_rule_is_waived_once() -> None:
    waiver = {"rule": "kv-transport-proven", "reason": "trial", "expires": "2027-01-31"}
    settings = dev_settings() | {"waivers": [waiver, waiver | {"expires": "2027-06-30"}]}
    [problem] = problems_of(settings)
    assert (problem.key, problem.value) == ("waivers[1].rule", "kv-transport-proven")


def test_problems_of_every_part_are_reported_at_once() -> None:
    settings = dev_settings()
    settings["platform"] |= {"version": "9.9.9", "discovery": "etcd"}
    settings["modelCache"]["size"] = "20Gi"
    settings["serving"] |= {"namespace": "dynamo-system", "kvTransport": "mnnvl", "replicas": {"decode": 9}}
    assert [problem.key for problem in problems_of(settings)] == [
        "platform.version",
        "serving.kvTransport",
        "serving.replicas",
        "platform.etcd",
        "modelCache.size",
        "serving.namespace",
    ]


def test_the_name_of_a_stack_decides_nothing_but_a_label() -> None:
    settings = parse_settings(dev_settings(), FILE)
    dev, production = (resolve(name, settings, FILE) for name in ("dev", "production"))
    assert production.serving.placed.instance == "production"
    placed = dataclasses.replace(production.serving.placed, instance="dev")
    serving = dataclasses.replace(production.serving, placed=placed)
    assert dataclasses.replace(production, name="dev", serving=serving) == dev
