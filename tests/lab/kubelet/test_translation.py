"""What a process of the lab is told of mounts, names and addresses."""

import pytest

from lab.kubelet.translation import Translation

HERE = Translation(
    address="127.70.128.9",
    mounts={"/opt/models": "/lab/claims/cache", "/opt/models/tiktoken": "/lab/pods/x/words"},
    names={"nats.dynamo.svc.cluster.local": "127.70.0.4", "nats-0.nats.dynamo.svc": "127.70.128.1"},
    hosts={"nats": "127.70.0.4"},
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("/opt/models", "/lab/claims/cache"),
        ('--model-path "/opt/models/hub/x" -v', '--model-path "/lab/claims/cache/hub/x" -v'),
        ("/opt/models/tiktoken/o200k", "/lab/pods/x/words/o200k"),
        ("A=/opt/models:/opt/models", "A=/lab/claims/cache:/lab/claims/cache"),
    ],
)
def test_a_mount_is_a_folder_and_the_longest_one_counts(given: str, expected: str) -> None:
    assert HERE.text(given) == expected


@pytest.mark.parametrize("given", ["/opt/models2/x", "/mnt/opt/models", "/opt/models.old", "/opt/engine"])
def test_what_is_mounted_nowhere_stays(given: str) -> None:
    assert HERE.text(given) == given


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("nats://nats.dynamo.svc.cluster.local:4222", "nats://127.70.0.4:4222"),
        ("nats-0.nats.dynamo.svc:6222", "127.70.128.1:6222"),
        ("http://nats:4222", "http://127.70.0.4:4222"),
    ],
)
def test_a_service_s_name_is_its_address(given: str, expected: str) -> None:
    assert HERE.text(given) == expected


@pytest.mark.parametrize(
    "given",
    ["nats.other.svc.cluster.local", "my-nats.dynamo.svc.cluster.local", '"name": "nats"', "nats-server"],
)
def test_a_name_that_no_service_bears_stays(given: str) -> None:
    assert HERE.text(given) == given


@pytest.mark.parametrize(
    ("given", "expected"),
    [("0.0.0.0:4222", "127.70.128.9:4222"), ("10.0.0.0", "10.0.0.0"), ("0.0.0.0.1", "0.0.0.0.1")],
)
def test_every_interface_is_the_pod_s_own_address(given: str, expected: str) -> None:
    assert HERE.text(given) == expected
