"""Clean manifests and states that cases change: the shipped stacks, and files beside this one.

Each file is reviewed like a recipe: it is what a careful person would write.
"""

from collections.abc import Mapping

from tests.rules.case import B200, GB200, H200, TWO_B200, TWO_GB200, Base, failed, undecided

BASES: Mapping[str, Base] = {
    "disagg-b200": Base(B200, failed("kv-transport-proven", "gpt-oss-disagg"), stack="disagg-b200"),
    "disagg-gb200": Base(TWO_GB200, failed("kv-transport-proven", "gpt-oss-disagg"), stack="disagg-gb200"),
    "agg-gb200": Base(GB200, stack="agg-gb200"),
    "trtllm-serve": Base(GB200),
    "vllm-agg": Base(B200),
    # Nobody published how much memory CUDA sees of an H200.
    "vllm-serve": Base(H200, undecided("one-sequence-fits", "engine")),
    # A directory of the node is what this one is about.
    "vllm-node-cache": Base(
        H200,
        undecided("one-sequence-fits", "engine") | failed("pods-run-unprivileged", "vllm-serve"),
    ),
    # One guide calls privileged required for EFA, and an example does without.
    "vllm-disagg-efa": Base(TWO_B200, failed("privileges-for-hardware", "Prefill", "Decode")),
    # TCP is typed in it, and what SGLang makes of the other ways was not read.
    "sglang-disagg": Base(
        TWO_B200,
        failed("kv-transport-proven", "gpt-oss-sglang")
        | undecided("kv-transport-possible", "gpt-oss-sglang"),
    ),
    "disagg-b200-state": Base(
        (), failed("kv-transport-proven", "gpt-oss-disagg"), stack="disagg-b200", state=True
    ),
    "disagg-gb200-on-eks": Base(
        (),
        failed("kv-transport-proven", "gpt-oss-disagg"),
        stack="disagg-gb200",
        cluster=True,
        state=True,
    ),
    "program-on-eks": Base((), state=True),
}
