"""Files and JSON texts that an engine reads its settings from, and the keys that it knows."""

from tests.rules.case import On
from tests.rules.edits import Edit, add, engine_file, put
from tests.rules.names import DECODE, GRAPH, PREFILL, RUNTIME, SERVER, SERVER_ARGS, WORKER
from tests.rules.serving_edits import main, runtime, variable, worker_flags

ACCEPTED = "engine-settings-accepted"
SERVE, VLLM = "trtllm-serve", "vllm-serve"
_BACKEND = "moe_config.backend"
_LABEL = {"fieldRef": {"fieldPath": "metadata.labels['draft']"}}
_CONFIG_MAP = "ConfigMap/trtllm-serve-max-throughput"


def _content(value: str) -> Edit:
    return put(_CONFIG_MAP, "data", {"max_throughput.yaml": value})


def _vllm_flag(flag: str) -> Edit:
    return add("Deployment/vllm-serve", SERVER_ARGS, flag)


CASES = (
    On(ACCEPTED, SERVE, "engine").fails(
        "a file that the ConfigMap has not",
        ("has no key max_throughput.yaml", "its keys: low_latency.yaml"),
        put(_CONFIG_MAP, "data", {"low_latency.yaml": "max_seq_len: 2048"}),
    ),
    On(ACCEPTED, SERVE, "engine").fails(
        "a file that is no YAML",
        ("max_throughput.yaml of ConfigMap", "line 1: not YAML"),
        _content("moe_config: [CUTLASS\n"),
    ),
    On(ACCEPTED, VLLM, "engine").fails(
        "a KV transfer that a shell has taken the quotation marks of",
        "--kv-transfer-config is no JSON",
        _vllm_flag("--kv-transfer-config={kv_connector:NixlConnector,kv_role:kv_both}"),
    ),
    On(ACCEPTED, VLLM, "engine").is_undecided(
        "a speculation that a label of the pod holds",
        "the value of --speculative-config is unknown",
        add("Deployment", f"{SERVER}.env", {"name": "DRAFT", "valueFrom": _LABEL}),
        _vllm_flag("--speculative-config=$(DRAFT)"),
    ),
    On(ACCEPTED, "agg-gb200", WORKER).fails(
        "a path beside the directory where the file is mounted",
        "lies in no mounted volume; /opt/dynamo/configs has worker.yaml",
        variable(WORKER, "ENGINE_ARGS", "/etc/dynamo/worker.yaml"),
    ),
    On(ACCEPTED, "agg-gb200").passes(
        "a path from the working folder in which the file is mounted",
        variable(WORKER, "ENGINE_ARGS", "configs/worker.yaml"),
        main(WORKER, "workingDir", "/opt/dynamo"),
    ),
    On(ACCEPTED, "agg-gb200", WORKER).is_undecided(
        "a path from a working folder that the image alone knows",
        "the engine file configs/worker.yaml lies in no mounted volume",
        variable(WORKER, "ENGINE_ARGS", "configs/worker.yaml"),
        main(WORKER, "workingDir", None),
    ),
    On(ACCEPTED, "disagg-b200", DECODE, PREFILL).fails(
        "misspelt and misplaced keys",
        "is no key that TensorRT-LLM is known to have; the nearest is max_batch_size",
        engine_file("decode.yaml", "max_batchh_size", 8),
        "max_batchsize in decode.yaml of ConfigMap",
        "the nearest is max_batch_size",
        engine_file("decode.yaml", "max_batchsize", 1280),
        "it is one inside kv_cache_config",
        engine_file("prefill.yaml", "tokens_per_block", 32),
        "moe_config.stream_interval in prefill.yaml",
        "it is one at the top level",
        engine_file("prefill.yaml", "moe_config.stream_interval", 20),
    ),
    On(ACCEPTED, "agg-gb200", WORKER).is_undecided(
        "a key that is gone, in a release that was not read",
        f"that was read in other releases than that of image {RUNTIME}:1.9.0",
        worker_flags(WORKER, "--trtllm.use_cuda_graph true"),
        runtime(WORKER, "1.9.0"),
    ),
    On(ACCEPTED, "disagg-b200", DECODE).fails(
        "a word that a later release took away",
        ("moe_config.backend in decode.yaml", "is WIDEEP, which the engine does not take"),
        engine_file("decode.yaml", _BACKEND, "WIDEEP"),
        runtime(DECODE, "1.5.1"),
    ),
    On(ACCEPTED, "disagg-b200").passes(
        "words that a later release brought",
        engine_file("decode.yaml", "kv_cache_config.use_kv_cache_manager_v2", "auto"),
        engine_file("decode.yaml", _BACKEND, "MARLIN"),
        runtime(DECODE, "1.6.2"),
    ),
    On(ACCEPTED, "disagg-b200", DECODE).fails(
        "a word of no release",
        ("moe_config.backend in decode.yaml", "is 'FASTEST': it must be"),
        engine_file("decode.yaml", _BACKEND, "FASTEST"),
        runtime(DECODE, "1.4.2"),
    ),
    On(ACCEPTED, "disagg-b200", DECODE).is_undecided(
        "a key that another release may have",
        "whether the release of its image knows brand_new_setting is not read",
        engine_file("decode.yaml", "brand_new_setting", 1280),
        runtime(DECODE, "1.4.2"),
    ),
    On(ACCEPTED, "disagg-b200", DECODE).fails(
        "a key outside its block, in a release that was not read",
        "it is one inside kv_cache_config",
        engine_file("decode.yaml", "tokens_per_block", 32),
        runtime(DECODE, "1.4.2"),
    ),
    On(ACCEPTED, "agg-gb200", WORKER).fails(
        "a guide of answers that there is not, by flag, and steps that hold no request, by variable",
        "guided_decoding_backend in --guided-decoding-backend is 'outlines', not one of llguidance",
        worker_flags(WORKER, "--guided-decoding-backend outlines"),
        "max_batch_size in DYN_TRTLLM_MAX_BATCH_SIZE is '0': it must be greater than 0",
        variable(WORKER, "DYN_TRTLLM_MAX_BATCH_SIZE", "0"),
        engine_file("worker.yaml", "max_batch_size", remove=True),
    ),
    On(ACCEPTED, "agg-gb200", WORKER).fails(
        "a number in words, by flag and by variable, steps that hold no request, and a block that is none",
        "max_beam_width in --max-beam-width is 'wide': it must be a valid integer",
        "max_batch_size in worker.yaml of ConfigMap",
        "is 0: it must be greater than 0",
        "max_seq_len in DYN_TRTLLM_MAX_SEQ_LEN is 'long': it must be a valid integer",
        worker_flags(WORKER, "--max-beam-width wide"),
        variable(WORKER, "DYN_TRTLLM_MAX_SEQ_LEN", "long"),
        engine_file("worker.yaml", "max_batch_size", 0),
        "scheduler_config in worker.yaml",
        "is no mapping of keys",
        engine_file("worker.yaml", "scheduler_config", "fcfs"),
    ),
    On(ACCEPTED, "agg-gb200", WORKER).fails(
        "slips between two releases that were read",
        "backend in worker.yaml of ConfigMap",
        "is 'pytorh', not one of _autodeploy, autodeploy, pytorch, tensorrt, trt",
        "stream_intervall in worker.yaml of ConfigMap",
        engine_file("worker.yaml", "backend", "pytorh"),
        engine_file("worker.yaml", "stream_intervall", 20),
        runtime(WORKER, "1.4.2"),
    ),
    On("flags-exist", "vllm-disagg-efa", "Prefill").fails(
        "a flag of an older guide",
        "--is-prefill-worker of dynamo.vllm is deprecated: write --disaggregation-mode prefill",
        put(GRAPH, "spec.components[1].podTemplate.spec.containers[0].args[2]", "--is-prefill-worker"),
    ),
)
