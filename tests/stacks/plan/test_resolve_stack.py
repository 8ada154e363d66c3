"""What settings come to as a whole: waits, sizes, decisions, and every problem at once."""

from stacks.plan import timeouts
from stacks.plan.platform.platform_plan import OwnPlatform
from tests.stacks.changed_settings import changed
from tests.support.dev_settings import dev_settings, disagg_b200_settings, problems_of, resolved


def test_a_wait_is_as_long_as_the_slowest_published_time_and_never_longer_than_the_operator_s() -> None:
    stack = resolved()
    # The recipe's page waits 3,600 s for the download and allows 30 minutes for loading.
    assert (stack.cache.timeout_seconds, stack.serving.ready_timeout_seconds) == (3960, 3660)
    assert timeouts.load_of(2 * 10**12, None).ready_timeout_seconds == 7200


def test_a_typed_timeout_wins() -> None:
    stack = resolved(
        changed(
            disagg_b200_settings(),
            {
                "serving.readyTimeoutSeconds": 20,
                "modelCache.downloadTimeoutSeconds": 30,
                "platform.installTimeoutSeconds": 40,
            },
        )
    )
    assert isinstance(stack.platform, OwnPlatform)
    assert stack.platform.nats
    members = stack.platform.nats.ready_timeout_seconds
    waits = stack.serving.ready_timeout_seconds, stack.cache.timeout_seconds, members
    assert waits == (20, 30, 40)


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
