"""Clean manifests and states that cases change: the shipped stacks, and files beside this one.

Each file is reviewed like a recipe: it is what a careful person would write.
"""

from collections.abc import Mapping

from tests.rules.case import B200, GB200, H200, TWO_B200, TWO_GB200, Base, failed, undecided
from tests.rules.judging import Found

_WORKERS = ("TrtllmPrefillWorker", "TrtllmDecodeWorker")
# The shipped stacks are of 1.2, before the frontend found every tool call.
_CALLS_LOST = failed("tool-calls-recovered", "Frontend")
_PUBLISHED = frozenset[Found]().union(
    failed("answer-parsers", *_WORKERS),
    undecided("cache-shared-by-nodes", "model-cache"),
    failed("component-type-known", *_WORKERS),
    failed("offline-frontend-has-the-model", "Frontend"),
    failed("pod-selects-a-pool", *_WORKERS),
    failed("kv-hop-has-a-transport", "gpt-oss-disagg"),
    undecided("named-secrets-exist", "hf-token-secret"),
    failed("waits-have-timeouts", "gpt-oss-disagg"),
    failed("outlived-by-token-and-cache", "gpt-oss-disagg"),
    undecided("pod-selects-a-pool", *_WORKERS),
    failed("pods-request-memory", "Frontend", *_WORKERS),
    failed("engine-settings-accepted", "TrtllmDecodeWorker"),
)

BASES: Mapping[str, Base] = {
    "disagg-b200": Base(
        B200, _CALLS_LOST | failed("kv-transport-proven", "gpt-oss-disagg"), stack="disagg-b200-tcp"
    ),
    "disagg-gb200": Base(
        TWO_GB200,
        _CALLS_LOST | failed("kv-transport-proven", "gpt-oss-disagg"),
        stack="disagg-gb200-two-trays",
    ),
    "agg-gb200": Base(GB200, _CALLS_LOST, stack="agg-gb200"),
    "disagg-b200-8gpu": Base(B200, _CALLS_LOST, stack="disagg-b200-8gpu"),
    "trtllm-serve": Base(GB200),
    "vllm-agg": Base(B200, _CALLS_LOST),
    # Nobody published how much memory CUDA sees of an H200.
    "vllm-serve": Base(H200, undecided("kv-cache-fits", "engine")),
    # A directory of the node is what this one is about.
    "vllm-node-cache": Base(
        H200, undecided("kv-cache-fits", "engine") | failed("pods-run-unprivileged", "vllm-serve")
    ),
    # One guide calls privileged required for EFA, and an example does without.
    "vllm-disagg-efa": Base(TWO_B200, failed("pods-run-unprivileged", "Prefill", "Decode")),
    # TCP is typed in it, and SGLang's settings are not read.
    "sglang-disagg": Base(
        TWO_B200,
        failed("kv-transport-proven", "gpt-oss-sglang").union(
            undecided("flags-exist", "Prefill", "Decode"),
            undecided("gpus-match-parallelism", "Prefill", "Decode"),
            undecided("parallelism-divides-model", "Prefill", "Decode"),
            undecided("prefill-and-decode-agree", "Prefill, Decode"),
        ),
    ),
    "disagg-b200-state": Base(
        (), _CALLS_LOST | failed("kv-transport-proven", "gpt-oss-disagg"), stack="disagg-b200-tcp", state=True
    ),
    "disagg-gb200-on-eks": Base(
        (),
        _CALLS_LOST | failed("kv-transport-proven", "gpt-oss-disagg"),
        stack="disagg-gb200-two-trays",
        cluster=True,
        state=True,
    ),
    # What NVIDIA published, with all that rules have against it.
    "published-disagg": Base((("p6-b200.48xlarge", 2), ("p6-b200.48xlarge", 2)), _PUBLISHED, program=True),
    "program-on-eks": Base((), _CALLS_LOST, state=True),
}
