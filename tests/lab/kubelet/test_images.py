"""Which pods run as processes."""

import re

import pytest
import yaml

from lab.directory import REPOSITORY
from lab.kubelet.images import image_of

POLICY = (REPOSITORY / "lab" / "fixtures" / "served_pods.yaml").read_text()
HERE = [
    "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.2.1",
    "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.2.1",
    "docker.io/library/nats:2.11.4-alpine",
    "nats:2.10.21-alpine",
    "quay.io/coreos/etcd:v3.6.1",
    "mirror.example/etcd@sha256:00",
    "python:3.12",
    "mirror.example/library/python:3.12.14-bookworm@sha256:00",
]
ELSEWHERE = [
    "natsio/nats-server-config-reloader:0.16.0",
    "python:3.12-slim-bookworm",
    "mirror.example/library/python:3.12.14-slim@sha256:00",
    "nvcr.io/nvidia/k8s-device-plugin:v1",
]


@pytest.mark.parametrize("image", [*HERE, *ELSEWHERE])
def test_the_admission_policy_and_the_kubelet_mean_the_same_images(image: str) -> None:
    policy = next(yaml.safe_load_all(POLICY))
    [condition] = policy["spec"]["matchConditions"]
    [pattern] = re.findall(r"matches\('(.*?)'\)", condition["expression"])
    assert (re.search(pattern, image) is not None) == (image in HERE)
    assert (image_of({"image": image}) is not None) == (image in HERE)
