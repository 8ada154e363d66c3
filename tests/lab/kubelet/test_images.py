"""Which pods run as processes."""

from __future__ import annotations

import re

import pytest
import yaml

from lab.directory import REPOSITORY
from lab.kubelet.images import image_of
from recipes.benchmark_job import benchmark_job
from recipes.model_download import HuggingFaceDownload, cache_job_spec
from tests.support.shipped_stacks import served_stack

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


def pattern() -> str:
    """The policy's pattern of images."""
    policy = next(yaml.safe_load_all(POLICY))
    [condition] = policy["spec"]["matchConditions"]
    [found] = re.findall(r"matches\('(.*?)'\)", condition["expression"])
    return found


@pytest.mark.parametrize("image", [*HERE, *ELSEWHERE])
def test_the_admission_policy_and_the_kubelet_mean_the_same_images(image: str) -> None:
    assert (re.search(pattern(), image) is not None) == (image in HERE)
    assert (image_of({"image": image}) is not None) == (image in HERE)


@pytest.mark.parametrize("stack", ["agg-gb200", "disagg-b200-tcp"])
def test_a_benchmark_runs_and_the_download_on_the_slim_image_is_simulated(stack: str) -> None:
    placed = served_stack(stack).serving.placed
    [measures] = benchmark_job(placed)["spec"]["template"]["spec"]["containers"]
    downloading = cache_job_spec(placed.recipe, "model-cache", HuggingFaceDownload(None), {})
    [downloads] = downloading["template"]["spec"]["containers"]
    assert [image_of(each) is not None for each in (measures, downloads)] == [True, False]
