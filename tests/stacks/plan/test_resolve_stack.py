"""What settings come to as a whole: waits, sizes, decisions, and every problem at once."""

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from stacks.plan import timeouts
from stacks.plan.platform import OwnPlatform
from stacks.plan.resolve import resolve
from stacks.settings.load import parse_settings
from tests.stacks.changed_settings import changed, said
from tests.support.dev_settings import FILE, dev_settings, problems_of, resolved


def test_a_wait_is_never_shorter_than_the_slowest_published_time() -> None:
    stack = resolved()
    # The recipe's page waits 3,600 s for the download and allows 30 minutes for loading.
    assert stack.cache.timeout_seconds >= 3600
    assert stack.serving.ready_timeout_seconds >= 1800


def test_a_typed_timeout_wins() -> None:
    stack = resolved(
        changed(
            dev_settings(),
            {
                "serving.readyTimeoutSeconds": 20,
                "modelCache.downloadTimeoutSeconds": 30,
                "platform.installTimeoutSeconds": 40,
            },
        )
    )
    assert isinstance(stack.platform, OwnPlatform)
    waits = stack.serving.ready_timeout_seconds, stack.cache.timeout_seconds, stack.platform.timeout_seconds
    assert waits == (20, 30, 40)


@given(model_bytes=st.integers(10**9, 2 * 10**12))
def test_larger_models_get_more_time_up_to_what_the_operator_allows(model_bytes: int) -> None:
    ready, larger = (timeouts.load_of(size, None) for size in (model_bytes, 2 * model_bytes))
    assert ready.ready_timeout_seconds <= larger.ready_timeout_seconds <= 7200
    download = timeouts.download_timeout_seconds(model_bytes)
    assert download <= timeouts.download_timeout_seconds(2 * model_bytes)
    assert download % 60 == 0


def test_a_rule_is_waived_once() -> None:
    waiver = {"rule": "kv-transport-proven", "reason": "trial", "expires": "2027-01-31"}
    assert said(dev_settings() | {"waivers": [waiver, waiver | {"expires": "2027-06-30"}]}) == (
        "Pulumi.dev.yaml: waivers[1].rule = 'kv-transport-proven'\n"
        "  this rule is waived twice: which reason and which date would hold?\n"
        "  try: leave one of them out"
    )


def test_problems_of_every_part_are_reported_at_once() -> None:
    wrong = {
        "platform.version": "9.9.9",
        "platform.discovery": "etcd",
        "modelCache.size": "20Gi",
        "serving.namespace": "dynamo-system",
        "serving.kvTransport": "mnnvl",
        "serving.replicas": {"decode": 9},
    }
    assert [problem.key for problem in problems_of(changed(dev_settings(), wrong))] == [
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
