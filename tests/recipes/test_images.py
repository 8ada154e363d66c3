import pytest

from recipes.images import mirrored

MIRRORS = {
    "nvcr.io": "registry.example/nvidia-mirror",
    "docker.io": "registry.example:5000/hub/",
    "localhost:5000": "registry.example",
}


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("nvcr.io/nvidia/ai-dynamo/x:1.2.1", "registry.example/nvidia-mirror/nvidia/ai-dynamo/x:1.2.1"),
        ("python:3.10-slim", "registry.example:5000/hub/library/python:3.10-slim"),
        ("docker.io/python:3.10-slim", "registry.example:5000/hub/library/python:3.10-slim"),
        ("docker.io/library/nats:2.10", "registry.example:5000/hub/library/nats:2.10"),
        ("curlimages/curl@sha256:abc", "registry.example:5000/hub/curlimages/curl@sha256:abc"),
        ("localhost:5000/x", "registry.example/x"),
    ],
)
def test_an_image_is_found_in_the_mirror_of_its_registry(image: str, expected: str) -> None:
    assert mirrored(image, MIRRORS) == expected


@pytest.mark.parametrize("image", ["quay.io/coreos/etcd:v3.5.21", "nvcr.io.example/nvidia/x:1"])
def test_an_image_of_a_registry_without_a_mirror_stays_as_it_is(image: str) -> None:
    assert mirrored(image, MIRRORS) == image
