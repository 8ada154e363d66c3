from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipes.load import load_recipe
from stacks import timeouts
from stacks.cache import needed_gib, size_in_gib
from stacks.parse import parse_settings
from stacks.resolve import resolve
from stacks.versions import PLATFORM_RELEASES
from tests.support.dev_settings import FILE, dev_settings, resolved

MODEL_BYTES = 65_248_815_744


def test_the_dev_stack_resolves_to_what_the_settings_mean() -> None:
    stack = resolved()
    assert (stack.name, stack.source, stack.lifecycle) == ("dev", "Pulumi.dev.yaml", "disposable")
    assert (stack.cluster.kind, stack.cluster.context) == ("existing", "dynamo-lab")
    assert (stack.platform.version, stack.platform.namespace) == ("1.2.1", "dynamo-system")
    assert stack.platform.repository == "https://helm.ngc.nvidia.com/nvidia/ai-dynamo"
    assert (stack.serving.namespace, stack.serving.graph_name) == ("gpt-oss", "gpt-oss-disagg")
    assert stack.cache.size_gib == 100
    assert {pool.name: (pool.used_gpus, pool.free_gpus) for pool in stack.pools} == {
        "b200": (5, 3),
        "gb200": (0, 8),
    }


def test_lifecycle_is_production_when_nobody_says_otherwise() -> None:
    settings = dev_settings()
    del settings["lifecycle"]
    assert resolved(settings).lifecycle == "production"


def test_destroy_of_a_disposable_stack_leaves_the_definitions_alone() -> None:
    assert [(item.kind, item.name, item.namespace) for item in resolved().retained] == [
        ("CustomResourceDefinition", name, None)
        for name in PLATFORM_RELEASES["1.2.1"].custom_resource_definitions
    ]


def test_destroy_of_a_production_stack_also_leaves_the_model_and_its_namespace() -> None:
    settings = dev_settings() | {"lifecycle": "production"}
    kept = [(item.kind, item.name, item.namespace) for item in resolved(settings).retained]
    assert kept[:2] == [("PersistentVolumeClaim", "model-cache", "gpt-oss"), ("Namespace", "gpt-oss", None)]
    assert {kind for kind, *_ in kept[2:]} == {"CustomResourceDefinition"}


def test_a_wait_is_never_shorter_than_the_slowest_published_time() -> None:
    # The recipe's page waits 3,600 s for the download and allows 30 minutes for loading.
    assert timeouts.download_timeout_seconds(MODEL_BYTES) >= 3600
    assert timeouts.ready_timeout_seconds(MODEL_BYTES) >= 1800
    assert resolved().cache.download_timeout_seconds == timeouts.download_timeout_seconds(MODEL_BYTES)


def test_a_typed_timeout_wins() -> None:
    settings = dev_settings()
    settings["serving"]["readyTimeoutSeconds"] = 20
    settings["modelCache"]["downloadTimeoutSeconds"] = 30
    settings["platform"]["installTimeoutSeconds"] = 40
    stack = resolved(settings)
    assert (
        stack.serving.ready_timeout_seconds,
        stack.cache.download_timeout_seconds,
        stack.platform.install_timeout_seconds,
    ) == (20, 30, 40)


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
    assert {"KV transport", "model cache", "rollout of TrtllmDecodeWorker", "lifecycle"} <= set(subjects)
    assert all(decision.choice and decision.reason for decision in subjects.values())
    assert "typed in Pulumi.dev.yaml" in subjects["KV transport"].reason


def test_the_name_of_a_stack_decides_nothing() -> None:
    settings = parse_settings(dev_settings(), FILE)
    dev, production = (resolve(name, settings, FILE) for name in ("dev", "production"))
    assert dataclasses.replace(production, name="dev") == dev
