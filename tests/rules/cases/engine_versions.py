"""Images and the platform that runs them."""

from tests.rules.case import Case, failed, undecided
from tests.rules.exports import resource
from tests.rules.serving_edits import DECODE

MATCHES = "runtime-matches-platform"

STATE = "disagg-b200-state"
_GRAPH, _PLATFORM = "DynamoGraphDeployment/gpt-oss-disagg", "Release/dynamo-platform"
_IMAGE = f"inputs.spec.services.{DECODE}.extraPodSpec.mainContainer.image"
_RUNTIME = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime"

CASES = (
    Case(
        MATCHES,
        "a worker of a newer release",
        STATE,
        (resource(_GRAPH, _IMAGE, f"{_RUNTIME}:1.3.1"),),
        failed(MATCHES, DECODE),
        (f"image {_RUNTIME}:1.3.1 runs under platform 1.2.1 (dynamo-platform)",),
    ),
    Case(
        MATCHES,
        "a worker of the platform's line",
        STATE,
        (resource(_GRAPH, _IMAGE, f"{_RUNTIME}:1.2.9-patched"),),
    ),
    Case(
        MATCHES,
        "an image without a version",
        STATE,
        (resource(_GRAPH, _IMAGE, f"{_RUNTIME}@sha256:{'0' * 64}"),),
        undecided(MATCHES, DECODE),
        ("does not say which release it is of",),
    ),
    Case(
        MATCHES,
        "a newer platform and an image without a version",
        STATE,
        (
            resource(_PLATFORM, "inputs.version", "1.4.2"),
            resource(_GRAPH, _IMAGE, f"{_RUNTIME}@sha256:{'0' * 64}"),
        ),
        failed(MATCHES, DECODE, "Frontend", "TrtllmPrefillWorker"),
        ("has no version as its tag, and no runtimeVersionOverride says it",),
    ),
    Case(
        MATCHES,
        "a newer platform and a version with a digest",
        STATE,
        (
            resource(_PLATFORM, "inputs.version", "1.4.2"),
            resource(_GRAPH, _IMAGE, f"{_RUNTIME}:1.4.2@sha256:{'0' * 64}"),
        ),
        failed(MATCHES, DECODE, "Frontend", "TrtllmPrefillWorker"),
        ("has a digest, and no runtimeVersionOverride says its version",),
    ),
    Case(
        MATCHES,
        "a newer platform that is told the version",
        STATE,
        (
            resource(_PLATFORM, "inputs.version", "1.4.2"),
            resource(_GRAPH, _IMAGE, f"{_RUNTIME}@sha256:{'0' * 64}"),
            resource(_GRAPH, f"inputs.spec.services.{DECODE}.runtimeVersionOverride", "1.4.2"),
        ),
        failed(MATCHES, "Frontend", "TrtllmPrefillWorker") | undecided(MATCHES, DECODE),
    ),
)
