"""Files and JSON texts that an engine reads its settings from, and the keys that it knows."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, add, engine_file, put
from tests.rules.serving_edits import (
    DECODE,
    GRAPH,
    PREFILL,
    RUNTIME,
    SERVER_ARGS,
    WORKER,
    main,
    variable,
    worker_flags,
)

ACCEPTED = "engine-settings-accepted"
SERVE, VLLM = "trtllm-serve", "vllm-serve"
_BACKEND = "moe_config.backend"
_CONFIG_MAP = "ConfigMap/trtllm-serve-max-throughput"
_ENV = "spec.template.spec.containers[0].env"
_LABEL = {"fieldPath": "metadata.labels['draft']"}


def _content(value: str) -> Edit:
    return put(_CONFIG_MAP, "data", {"max_throughput.yaml": value})


def _vllm_flag(flag: str) -> Edit:
    return add("Deployment/vllm-serve", SERVER_ARGS, flag)


DEPRECATED = "flags-exist"

CASES = (
    Case(
        ACCEPTED,
        "a file that the ConfigMap has not",
        SERVE,
        (put(_CONFIG_MAP, "data", {"low_latency.yaml": "max_seq_len: 2048"}),),
        failed(ACCEPTED, "engine"),
        ("has no key max_throughput.yaml", "its keys: low_latency.yaml"),
    ),
    Case(
        ACCEPTED,
        "a file that is no YAML",
        SERVE,
        (_content("moe_config: [CUTLASS\n"),),
        failed(ACCEPTED, "engine"),
        ("max_throughput.yaml of ConfigMap", "line 1: not YAML"),
    ),
    Case(
        ACCEPTED,
        "a KV transfer that a shell has taken the quotation marks of",
        VLLM,
        (_vllm_flag("--kv-transfer-config={kv_connector:NixlConnector,kv_role:kv_both}"),),
        failed(ACCEPTED, "engine"),
        ("--kv-transfer-config is no JSON",),
    ),
    Case(
        ACCEPTED,
        "a speculation that a label of the pod holds",
        VLLM,
        (
            add("Deployment/vllm-serve", _ENV, {"name": "DRAFT", "valueFrom": {"fieldRef": _LABEL}}),
            _vllm_flag("--speculative-config=$(DRAFT)"),
        ),
        undecided(ACCEPTED, "engine"),
        ("the value of --speculative-config is unknown",),
    ),
    Case(
        ACCEPTED,
        "a path beside the directory where the file is mounted",
        "agg-gb200",
        (variable(WORKER, "ENGINE_ARGS", "/etc/dynamo/worker.yaml"),),
        failed(ACCEPTED, WORKER),
        ("lies in no mounted volume; /opt/dynamo/configs has worker.yaml",),
    ),
    Case(
        ACCEPTED,
        "a path from the working folder in which the file is mounted",
        "agg-gb200",
        (variable(WORKER, "ENGINE_ARGS", "configs/worker.yaml"), main(WORKER, "workingDir", "/opt/dynamo")),
    ),
    Case(
        ACCEPTED,
        "a path from a working folder that the image alone knows",
        "agg-gb200",
        (variable(WORKER, "ENGINE_ARGS", "configs/worker.yaml"), main(WORKER, "workingDir", None)),
        undecided(ACCEPTED, WORKER),
        ("the engine file configs/worker.yaml lies in no mounted volume",),
    ),
    Case(
        ACCEPTED,
        "a key with a letter too many, in a release whose keys were read",
        "disagg-b200",
        (engine_file("decode.yaml", "max_batchh_size", 8),),
        failed(ACCEPTED, DECODE),
        ("is no setting that TensorRT-LLM is known to have; the nearest is max_batch_size",),
    ),
    Case(
        ACCEPTED,
        "a key that is gone, in a release that was not read",
        "agg-gb200",
        (worker_flags(WORKER, "--trtllm.use_cuda_graph true"), main(WORKER, "image", f"{RUNTIME}:1.9.0")),
        undecided(ACCEPTED, WORKER),
        (f"that was read in other releases than that of image {RUNTIME}:1.9.0",),
    ),
    Case(
        ACCEPTED,
        "a word that a later release took away",
        "disagg-b200",
        (engine_file("decode.yaml", _BACKEND, "WIDEEP"), main(DECODE, "image", f"{RUNTIME}:1.5.1")),
        failed(ACCEPTED, DECODE),
        ("moe_config.backend in decode.yaml", "is WIDEEP, which the engine does not take"),
    ),
    Case(
        ACCEPTED,
        "words that a later release brought",
        "disagg-b200",
        (
            engine_file("decode.yaml", "kv_cache_config.use_kv_cache_manager_v2", "auto"),
            engine_file("decode.yaml", _BACKEND, "MARLIN"),
            main(DECODE, "image", f"{RUNTIME}:1.6.2"),
        ),
    ),
    Case(
        ACCEPTED,
        "a word of no release",
        "disagg-b200",
        (engine_file("decode.yaml", _BACKEND, "FASTEST"), main(DECODE, "image", f"{RUNTIME}:1.4.2")),
        failed(ACCEPTED, DECODE),
        ("moe_config.backend in decode.yaml", "is 'FASTEST': it must be"),
    ),
    Case(
        ACCEPTED,
        "a misspelt key",
        "disagg-b200",
        (engine_file("decode.yaml", "max_batchsize", 1280),),
        failed(ACCEPTED, DECODE),
        ("max_batchsize in decode.yaml of ConfigMap", "the nearest is max_batch_size"),
    ),
    Case(
        ACCEPTED,
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
        undecided(ACCEPTED, DECODE),
        ("whether the release of its image knows brand_new_setting is not read",),
    ),
    Case(
        ACCEPTED,
        "a key outside its block",
        "disagg-b200",
        (engine_file("prefill.yaml", "tokens_per_block", 32),),
        failed(ACCEPTED, PREFILL),
        ("it is one inside kv_cache_config",),
    ),
    Case(
        ACCEPTED,
        "a key outside its block, in a release that was not read",
        "disagg-b200",
        (
            engine_file("decode.yaml", "tokens_per_block", 32),
            put(
                "DynamoGraphDeployment",
                f"spec.services.{DECODE}.extraPodSpec.mainContainer.image",
                "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.4.2",
            ),
        ),
        failed(ACCEPTED, DECODE),
        ("it is one inside kv_cache_config",),
    ),
    Case(
        ACCEPTED,
        "a key of the top level inside a block",
        "disagg-b200",
        (engine_file("prefill.yaml", "moe_config.stream_interval", 20),),
        failed(ACCEPTED, PREFILL),
        ("moe_config.stream_interval in prefill.yaml", "it is one at the top level"),
    ),
    Case(
        ACCEPTED,
        "a guide of answers that there is not, by flag",
        "agg-gb200",
        (worker_flags(WORKER, "--guided-decoding-backend outlines"),),
        failed(ACCEPTED, WORKER),
        ("guided_decoding_backend in --guided-decoding-backend is 'outlines', not one of llguidance",),
    ),
    Case(
        ACCEPTED,
        "a block that is no mapping",
        "agg-gb200",
        (engine_file("worker.yaml", "scheduler_config", "fcfs"),),
        failed(ACCEPTED, WORKER),
        ("scheduler_config in worker.yaml", "is no mapping of settings"),
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
