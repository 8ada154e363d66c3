"""Clean manifests that cases change: the shipped stacks, and files beside this one.

Each file is reviewed like a recipe: it is what a careful person would write.
"""

from collections.abc import Mapping

from tests.rules.case import B200, GB200, H200, TWO_GB200, Base

BASES: Mapping[str, Base] = {
    "disagg-b200": Base(B200, stack="disagg-b200"),
    "disagg-gb200": Base(TWO_GB200, stack="disagg-gb200"),
    "agg-gb200": Base(GB200, stack="agg-gb200"),
    "trtllm-serve": Base(GB200),
    "vllm-agg": Base(B200),
    "vllm-serve": Base(H200),
}
