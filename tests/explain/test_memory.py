from __future__ import annotations

import pytest

from explain.memory import WIDTH, MemoryBar, WorkerMemory
from tests.explain.pages import STACKS, shipped_page


def memory_of(stack: str) -> tuple[WorkerMemory, ...]:
    serving = shipped_page(stack).serving
    assert serving is not None
    return serving.memory


def gibs(bar: MemoryBar | None) -> dict[str, float]:
    assert bar is not None
    return {part.kind: round(part.gib, 1) for part in bar.parts}


@pytest.mark.parametrize("name", STACKS)
def test_the_parts_of_a_bar_are_its_whole_and_lie_side_by_side(name: str) -> None:
    bars = [worker.bar for worker in memory_of(name)]
    assert bars
    for bar in bars:
        assert bar is not None
        assert sum(part.gib for part in bar.parts) == pytest.approx(bar.total_gib)
        assert sum(part.width for part in bar.parts) == pytest.approx(WIDTH, abs=0.1)
        for before, after in zip(bar.parts, bar.parts[1:], strict=False):
            assert after.x == pytest.approx(before.x + before.width, abs=0.02)


def test_each_worker_has_the_numbers_that_the_rules_judge_by() -> None:
    prefill, decode = memory_of("disagg-gb200-two-trays")
    assert (prefill.name, prefill.accelerator) == ("TrtllmPrefillWorker", "GB200")
    assert prefill.bar is not None
    assert (prefill.bar.total_gib, prefill.bar.note) == (184.0, "as CUDA sees it")
    assert gibs(prefill.bar) == {
        "weights": 65.1,
        "activations": 4.6,
        "runtime": 3.5,
        "kv": 88.6,
        "buffers": 0.6,
        "free": 21.5,
    }
    assert gibs(decode.bar)["kv"] == 136.3
    assert "in fp8, gets 0.8 of what is left (prefill.yaml of ConfigMap" in prefill.note
    assert prefill.note.endswith("takes 0.31 GiB, so 286 fit; at most 64 run at once")


def test_both_engines_of_one_pod_are_told_apart() -> None:
    assert [worker.name for worker in memory_of("disagg-b200-8gpu")] == [
        "TrtllmWorker, prefill",
        "TrtllmWorker, decode",
    ]


def test_a_server_without_dynamo_has_the_gpus_of_its_pool() -> None:
    [server] = memory_of("throughput-gb200")
    assert (server.name, server.accelerator) == ("TrtllmServer", "GB200")
    assert gibs(server.bar)["kv"] > 100


def test_where_nobody_published_what_cuda_sees_cache_and_free_memory_are_one_part() -> None:
    [agg] = memory_of("vllm-agg-h200")
    assert agg.bar is not None
    assert agg.bar.note == "nominal"
    assert list(gibs(agg.bar)) == ["weights", "activations", "runtime", "unknown"]
    assert agg.note.startswith("Nobody published how much memory CUDA sees of H200")
