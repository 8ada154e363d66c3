from explain.memory import WorkerMemory
from tests.explain.pages import shipped_page


def memory_of(stack: str) -> tuple[WorkerMemory, ...]:
    return shipped_page(stack).memory


def gibs(worker: WorkerMemory) -> dict[str, float]:
    return {kind: round(gib, 1) for kind, gib in worker.parts.items()}


def test_each_worker_has_the_numbers_that_the_rules_judge_by() -> None:
    prefill, decode = memory_of("disagg-gb200-two-trays")
    assert (prefill.name, prefill.accelerator) == ("TrtllmPrefillWorker", "GB200")
    assert (prefill.total_gib, prefill.counted) == (184.0, "as CUDA sees it")
    assert gibs(prefill) == {
        "weights": 65.1,
        "activations": 4.6,
        "runtime": 3.5,
        "kv": 88.6,
        "buffers": 0.6,
        "free": 21.5,
    }
    assert gibs(decode)["kv"] == 136.3
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
    assert gibs(server)["kv"] > 100


def test_where_nobody_published_what_cuda_sees_cache_and_free_memory_are_one_part() -> None:
    [agg] = memory_of("vllm-agg-h200")
    assert agg.counted == "nominal"
    assert list(agg.parts) == ["weights", "activations", "runtime", "unknown"]
    assert agg.note.startswith("Nobody published how much memory CUDA sees of H200")
