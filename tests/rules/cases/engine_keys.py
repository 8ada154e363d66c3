"""Names and values of settings in engine files."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import engine_file, put
from tests.rules.serving_edits import DECODE, GRAPH, PREFILL, WORKER, main, worker_flags

REMOVED = "removed-engine-keys"
UNLISTED = "unlisted-engine-keys"
VALUES = "engine-values-allowed"
DEPRECATED = "deprecated-settings"
_IMAGE = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime"

CASES = (
    Case(
        REMOVED,
        "a sampler that guides still name",
        "disagg-b200",
        (engine_file("decode.yaml", "enable_mixed_sampler", True),),
        failed(REMOVED, DECODE),
        ("enable_mixed_sampler in decode.yaml of ConfigMap", "the sampler mixes strategies by itself"),
    ),
    Case(
        REMOVED,
        "a number format in the place that it had before",
        "trtllm-serve",
        (engine_file("max_throughput.yaml", "kv_cache_dtype", "fp8"),),
        failed(REMOVED, "engine"),
        ("write kv_cache_config.dtype",),
    ),
    Case(
        REMOVED,
        "on the command line as an override",
        "agg-gb200",
        (worker_flags(WORKER, "--trtllm.use_cuda_graph true"),),
        failed(REMOVED, WORKER),
        ("use_cuda_graph in --trtllm.*",),
    ),
    *(
        Case(
            REMOVED,
            f"a key that is gone, in an image that says {tag}",
            "agg-gb200",
            (worker_flags(WORKER, "--trtllm.use_cuda_graph true"), main(WORKER, "image", f"{_IMAGE}:{tag}")),
            undecided(REMOVED, WORKER),
            (f"that was read in other releases than that of image {_IMAGE}:{tag}",),
        )
        for tag in ("0.6.0", "1.9.0")
    ),
    Case(
        UNLISTED,
        "a misspelt key",
        "disagg-b200",
        (engine_file("decode.yaml", "max_batchsize", 1280),),
        failed(UNLISTED, DECODE),
        ("max_batchsize in decode.yaml of ConfigMap", "the nearest is max_batch_size"),
    ),
    Case(
        UNLISTED,
        "a key that another release may have",
        "disagg-b200",
        (
            engine_file("decode.yaml", "brand_new_setting", 1280),
            put(
                "DynamoGraphDeployment",
                f"spec.services.{DECODE}.extraPodSpec.mainContainer.image",
                "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.4.2",
            ),
        ),
        undecided(UNLISTED, DECODE),
        ("whether the release of its image knows brand_new_setting is not read",),
    ),
    Case(
        UNLISTED,
        "a slip of the pen under another release",
        "disagg-b200",
        (
            engine_file("decode.yaml", "max_batchsize", 1280),
            put(
                "DynamoGraphDeployment",
                f"spec.services.{DECODE}.extraPodSpec.mainContainer.image",
                "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.4.2",
            ),
        ),
        failed(UNLISTED, DECODE),
        ("max_batchsize in decode.yaml", "the nearest is max_batch_size"),
    ),
    Case(
        UNLISTED,
        "a key outside its block",
        "disagg-b200",
        (engine_file("prefill.yaml", "tokens_per_block", 32),),
        failed(UNLISTED, PREFILL),
        ("it is one inside kv_cache_config",),
    ),
    Case(
        UNLISTED,
        "a key of the top level inside a block",
        "disagg-b200",
        (engine_file("prefill.yaml", "moe_config.stream_interval", 20),),
        failed(UNLISTED, PREFILL),
        ("moe_config.stream_interval in prefill.yaml", "it is one at the top level"),
    ),
    Case(
        UNLISTED,
        "a misspelt key inside a block",
        "disagg-b200",
        (engine_file("decode.yaml", "kv_cache_config.token_per_block", 32),),
        failed(UNLISTED, DECODE),
        ("kv_cache_config.token_per_block in decode.yaml", "the nearest is tokens_per_block"),
    ),
    Case(
        UNLISTED,
        "rarer keys that the engine has",
        "disagg-b200",
        (
            engine_file("decode.yaml", "kv_cache_config.use_uvm", False),
            engine_file("decode.yaml", "scheduler_config", {"enable_prefix_aware_scheduling": True}),
            engine_file("decode.yaml", "env_overrides", {"TRTLLM_ENABLE_PDL": "1"}),
        ),
        frozenset(),
    ),
    Case(
        VALUES,
        "kernels in lower case",
        "disagg-b200",
        (engine_file("decode.yaml", "scheduler_config", {"capacity_scheduler_policy": "max_utilization"}),),
        failed(VALUES, DECODE),
        ("is 'max_utilization', and capitals matter: write MAX_UTILIZATION",),
    ),
    Case(
        VALUES,
        "a strategy that there is not",
        "disagg-b200",
        (engine_file("decode.yaml", "allreduce_strategy", "FASTEST"),),
        failed(VALUES, DECODE),
        ("allreduce_strategy in decode.yaml", "is 'FASTEST', not one of AUTO, LOWPRECISION"),
    ),
    Case(
        VALUES,
        "a strategy that a release may have which was not read",
        "agg-gb200",
        (
            engine_file("worker.yaml", "allreduce_strategy", "FASTEST"),
            main(WORKER, "image", f"{_IMAGE}:1.9.0"),
        ),
        undecided(VALUES, WORKER),
        ("allreduce_strategy in worker.yaml", "is 'FASTEST', not one of AUTO"),
    ),
    Case(
        VALUES,
        "a slip in a strategy, in a release that was not read",
        "agg-gb200",
        (
            engine_file("worker.yaml", "allreduce_strategy", "ONSHOT"),
            main(WORKER, "image", f"{_IMAGE}:1.9.0"),
        ),
        failed(VALUES, WORKER),
    ),
    Case(
        VALUES,
        "a count in words",
        "disagg-b200",
        (engine_file("decode.yaml", "stream_interval", "often"),),
        failed(VALUES, DECODE),
        ("stream_interval in decode.yaml", "is 'often', not a whole number"),
    ),
    Case(
        VALUES,
        "a fraction in percent",
        "agg-gb200",
        (engine_file("worker.yaml", "kv_cache_config.free_gpu_memory_fraction", 90),),
        failed(VALUES, WORKER),
        ("free_gpu_memory_fraction in worker.yaml", "is 90, not a number from 0 to 1"),
    ),
    Case(
        VALUES,
        "counts that are true, and nothing",
        "agg-gb200",
        (
            engine_file("worker.yaml", "num_postprocess_workers", True),
            engine_file("worker.yaml", "moe_config.max_num_tokens", 0),
        ),
        failed(VALUES, WORKER),
        ("num_postprocess_workers in worker.yaml", "is True, not a whole number"),
    ),
    Case(
        VALUES,
        "a guide of answers that there is not, by flag",
        "agg-gb200",
        (worker_flags(WORKER, "--guided-decoding-backend outlines"),),
        failed(VALUES, WORKER),
        ("guided_decoding_backend in --guided-decoding-backend is 'outlines', not one of llguidance",),
    ),
    Case(
        VALUES,
        "a way to load in any capitals",
        "agg-gb200",
        (engine_file("worker.yaml", "load_format", "auto"),),
        frozenset(),
    ),
    Case(
        VALUES,
        "a block that is no mapping",
        "agg-gb200",
        (engine_file("worker.yaml", "scheduler_config", "fcfs"),),
        failed(VALUES, WORKER),
        ("scheduler_config in worker.yaml", "is no mapping of settings"),
    ),
    Case(
        DEPRECATED,
        "a setting that later releases drop",
        "agg-gb200",
        (
            engine_file("worker.yaml", "sampler_type", "auto"),
            engine_file("worker.yaml", "kv_cache_config.sink_token_length", 4),
        ),
        failed(DEPRECATED, WORKER),
        ("sampler_type in worker.yaml", "kv_cache_config.sink_token_length in worker.yaml"),
    ),
    Case(
        DEPRECATED,
        "a flag of an older guide",
        "vllm-disagg-efa",
        (put(GRAPH, "spec.components[1].podTemplate.spec.containers[0].args[2]", "--is-prefill-worker"),),
        failed(DEPRECATED, "Prefill"),
        ("--is-prefill-worker of dynamo.vllm is deprecated: write --disaggregation-mode prefill",),
    ),
)
