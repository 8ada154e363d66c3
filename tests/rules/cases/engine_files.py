"""Files and JSON texts that an engine reads its settings from, and the keys that it knows."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, add, engine_file, put
from tests.rules.serving_edits import DECODE, GRAPH, PREFILL, WORKER, main, variable, worker_flags

READABLE = "engine-settings-accepted"
SERVE, VLLM = "trtllm-serve", "vllm-serve"
_CONFIG_MAP = "ConfigMap/trtllm-serve-max-throughput"
_ARGS = "spec.template.spec.containers[0].args"
_ENV = "spec.template.spec.containers[0].env"
_LABEL = {"fieldPath": "metadata.labels['draft']"}


def _content(value: str) -> Edit:
    return put(_CONFIG_MAP, "data", {"max_throughput.yaml": value})


def _vllm_flag(flag: str) -> Edit:
    return add("Deployment/vllm-serve", _ARGS, flag)


REMOVED = "engine-settings-accepted"
DEPRECATED = "flags-exist"
_IMAGE = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime"

CASES = (
    Case(
        READABLE,
        "a file that the ConfigMap has not",
        SERVE,
        (put(_CONFIG_MAP, "data", {"low_latency.yaml": "max_seq_len: 2048"}),),
        failed(READABLE, "engine"),
        ("has no key max_throughput.yaml", "its keys: low_latency.yaml"),
    ),
    Case(
        READABLE,
        "a file that is no YAML",
        SERVE,
        (_content("moe_config: [CUTLASS\n"),),
        failed(READABLE, "engine"),
        ("max_throughput.yaml of ConfigMap", "line 2: not YAML"),
    ),
    Case(
        READABLE,
        "a KV transfer that a shell has taken the quotation marks of",
        VLLM,
        (_vllm_flag("--kv-transfer-config={kv_connector:NixlConnector,kv_role:kv_both}"),),
        failed(READABLE, "engine"),
        ("--kv-transfer-config is no JSON",),
    ),
    Case(
        READABLE,
        "a speculation that a label of the pod holds",
        VLLM,
        (
            add("Deployment/vllm-serve", _ENV, {"name": "DRAFT", "valueFrom": {"fieldRef": _LABEL}}),
            _vllm_flag("--speculative-config=$(DRAFT)"),
        ),
        undecided(READABLE, "engine"),
        ("the value of --speculative-config is unknown",),
    ),
    Case(
        READABLE,
        "a path beside the directory where the file is mounted",
        "agg-gb200",
        (variable(WORKER, "ENGINE_ARGS", "/etc/dynamo/worker.yaml"),),
        failed(READABLE, WORKER),
        ("lies in no mounted volume; /opt/dynamo/configs has worker.yaml",),
    ),
    Case(
        REMOVED,
        "a key that is gone, in a release that was not read",
        "agg-gb200",
        (worker_flags(WORKER, "--trtllm.use_cuda_graph true"), main(WORKER, "image", f"{_IMAGE}:1.9.0")),
        undecided(REMOVED, WORKER),
        (f"that was read in other releases than that of image {_IMAGE}:1.9.0",),
    ),
    Case(
        REMOVED,
        "a misspelt key",
        "disagg-b200",
        (engine_file("decode.yaml", "max_batchsize", 1280),),
        failed(REMOVED, DECODE),
        ("max_batchsize in decode.yaml of ConfigMap", "the nearest is max_batch_size"),
    ),
    Case(
        REMOVED,
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
        undecided(REMOVED, DECODE),
        ("whether the release of its image knows brand_new_setting is not read",),
    ),
    Case(
        REMOVED,
        "a key outside its block",
        "disagg-b200",
        (engine_file("prefill.yaml", "tokens_per_block", 32),),
        failed(REMOVED, PREFILL),
        ("it is one inside kv_cache_config",),
    ),
    Case(
        REMOVED,
        "a key of the top level inside a block",
        "disagg-b200",
        (engine_file("prefill.yaml", "moe_config.stream_interval", 20),),
        failed(REMOVED, PREFILL),
        ("moe_config.stream_interval in prefill.yaml", "it is one at the top level"),
    ),
    Case(
        REMOVED,
        "a guide of answers that there is not, by flag",
        "agg-gb200",
        (worker_flags(WORKER, "--guided-decoding-backend outlines"),),
        failed(REMOVED, WORKER),
        ("guided_decoding_backend in --guided-decoding-backend is 'outlines', not one of llguidance",),
    ),
    Case(
        REMOVED,
        "a block that is no mapping",
        "agg-gb200",
        (engine_file("worker.yaml", "scheduler_config", "fcfs"),),
        failed(REMOVED, WORKER),
        ("scheduler_config in worker.yaml", "is no mapping of settings"),
    ),
    Case(
        REMOVED,
        "a setting that later releases drop",
        "agg-gb200",
        (
            engine_file("worker.yaml", "sampler_type", "auto"),
            engine_file("worker.yaml", "kv_cache_config.sink_token_length", 4),
        ),
        failed(REMOVED, WORKER),
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
