"""What the rules say of the published recipes: each known defect is found, and none is invented."""

from pathlib import Path

import pytest

from resource_graph.input_text import read_inputs
from resource_graph.manifests import manifest_graph
from rules.catalogue import RULES
from rules.model import Report
from tests.rules.case import B200, GB200, TWO_GB200, Pools, judge_beside
from tests.rules.judging import found, messages
from tests.rules.published_defects import (
    AGG_A,
    CACHE,
    DEFECTS,
    DISAGG_A,
    DOWNLOAD,
    OLD_DOWNLOAD,
    VLLM_AGG,
    VLLM_PERF,
    Defect,
)

FOLDER = Path(__file__).parent / "published"

NO_DEFECTS = (
    # The engine merges kv_cache_config key by key: the aggregated recipe's 0.9 acts.
    (
        "the engine file takes the memory fraction of the flag back",
        (AGG_A,),
        GB200,
        "engine-settings-accepted",
    ),
    # 9216 tokens, and prefill takes prompts of 8999.
    ("the transfer buffer is too small", (DISAGG_A,), TWO_GB200, "transfer-buffer-holds-the-prompt"),
    (
        "the transfer buffer is no multiple of a block",
        (DISAGG_A,),
        TWO_GB200,
        "transfer-buffer-holds-the-prompt",
    ),
    # The override is what Blackwell takes anyway.
    ("prefill and decode compute in different formats", (DISAGG_A,), TWO_GB200, "prefill-and-decode-agree"),
    ("attention-DP adds GPUs", (AGG_A,), GB200, "gpus-match-parallelism"),
    ("the older download names no commit", (OLD_DOWNLOAD,), (), "model-revision-equal"),
    ("download and workers mean two revisions", (CACHE, DOWNLOAD, DISAGG_A), (), "model-revision-equal"),
    ("the claim cannot be shared", (CACHE, DISAGG_A), (), "cache-shared-by-nodes"),
    ("the vLLM benchmark asks for too much", (VLLM_AGG, VLLM_PERF), B200, "benchmark-within-engine"),
)


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_a_defect_of_a_published_recipe_is_found(defect: Defect) -> None:
    report = _judged(defect.files, defect.pools)
    assert defect.found <= found(report), messages(report)
    for text in defect.says:
        assert text in messages(report)


@pytest.mark.parametrize(
    ("files", "pools", "rule"), [pytest.param(*each, id=name) for name, *each in NO_DEFECTS]
)
def test_what_is_no_defect_is_not_found(files: tuple[str, ...], pools: Pools, rule: str) -> None:
    assert rule in {each.id for each in RULES}
    report = _judged(files, pools)
    assert [item for item in found(report) if item[0] == rule] == [], messages(report)


def _judged(files: tuple[str, ...], pools: Pools) -> Report:
    return judge_beside(manifest_graph(read_inputs([FOLDER / f"{name}.yaml" for name in files])), pools)
