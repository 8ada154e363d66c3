"""How the published recipe's engine is started, and the file that it reads."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import put, text
from tests.rules.judging import DECODE, FILE, GPUS, PREFILL
from tests.rules.published_findings import (
    BASE_GRAPH,
    CONFIG_MAP,
    NO_FRONTEND_MODEL,
    PUBLISHED,
    WITHOUT_EFFECT,
    each,
    unread_pair,
    unread_service,
    unread_settings,
)
from tests.rules.serving_edits import GRAPH, command, main_container

_FLAGS = "--disaggregation-mode decode"
_START = " \\\n  ".join(
    [
        "python3 -m dynamo.trtllm",
        '--model-path "${MODEL_PATH}"',
        '--served-model-name "openai/gpt-oss-120b"',
        '--extra-engine-args "${ENGINE_ARGS}"',
        _FLAGS,
    ]
)
_FILE_VARIABLE = main_container(DECODE, "env[3]")
_NO_TRANSFER = undecided("cache-transceiver-configured", DECODE)
_NO_PROMPT = undecided("transfer-buffer-holds-the-prompt", DECODE)
_UNREADABLE = (
    failed(FILE, DECODE)
    | undecided(GPUS, DECODE)
    | _NO_TRANSFER
    | undecided("kv-transfer-agrees", BASE_GRAPH)
)
_PAIR = f"{PREFILL}, {DECODE}"
_NO_HOP = failed("kv-hop-has-a-transport", BASE_GRAPH)
_NO_PARSERS = failed("answer-parsers", DECODE)

CASES = (
    Case(
        FILE,
        "both overrides at once",
        PUBLISHED,
        (command(DECODE, _FLAGS, f"{_FLAGS} --trtllm.max_batch_size 8 --override-engine-args '{{}}'"),),
        _UNREADABLE,
        ("exclude each other",),
        gone=WITHOUT_EFFECT,
    ),
    Case(
        FILE,
        "an override that is no JSON",
        PUBLISHED,
        (command(DECODE, _FLAGS, f"{_FLAGS} --override-engine-args '{{tensor'"),),
        _UNREADABLE,
        ("--override-engine-args is no JSON",),
        gone=WITHOUT_EFFECT,
    ),
    Case(
        GPUS,
        "a start script with a shell variable",
        PUBLISHED,
        (
            command(DECODE, _START, f"TP=8\n{_START} --tensor-parallel-size $TP"),
            text(CONFIG_MAP, "data[decode.yaml]", "tensor_parallel_size: 4\n", ""),
        ),
        failed(GPUS, DECODE),
        ("tensor parallelism 8 (--tensor-parallel-size)",),
    ),
    Case(
        GPUS,
        "an engine file that the start script writes",
        PUBLISHED,
        (
            command(
                DECODE,
                _START,
                "cat > /tmp/engine.yaml <<'EOF'\n"
                "tensor_parallel_size: 8\n"
                "EOF\n"
                f"{_START} --extra-engine-args /tmp/engine.yaml",
            ),
        ),
        failed(GPUS, DECODE) | failed("same-kv-cache-dtype", _PAIR) | _NO_TRANSFER,
        ("tensor parallelism 8 (/tmp/engine.yaml, which the start script writes)",),
        gone=WITHOUT_EFFECT,
    ),
    Case(
        GPUS,
        "a start script that computes a flag",
        PUBLISHED,
        (
            command(DECODE, _START, f"{_START} --tensor-parallel-size $(nvidia-smi -L | wc -l)"),
            text(CONFIG_MAP, "data[decode.yaml]", "tensor_parallel_size: 4\n", ""),
        ),
        each(
            (
                GPUS,
                "expert-parallelism-divides",
                "full-concurrency-fits",
                "one-sequence-fits",
                "settings-without-effect",
                "tensor-parallelism-divides-heads",
                "transfer-buffers-fit",
            ),
            DECODE,
        ),
        ("the value of --tensor-parallel-size is unknown",),
    ),
    Case(
        GPUS,
        "a start script with unknown further words",
        PUBLISHED,
        (command(DECODE, _START, f"{_START} $MORE_FLAGS"),),
        unread_settings(DECODE)
        | NO_FRONTEND_MODEL
        | each(
            (
                "answer-parsers",
                "disaggregation-mode-known",
                "drain-covers-requests",
                "quantization-override-has-effect",
                "router-block-size-equal",
            ),
            DECODE,
        ),
        ("a word of the command line is unknown",),
        gone=WITHOUT_EFFECT | _NO_PARSERS | _NO_HOP,
    ),
    Case(
        GPUS,
        "two engines in one container",
        PUBLISHED,
        (command(DECODE, _START, f"{_START} &\n{_START}"),),
        unread_settings(DECODE)
        | unread_pair()
        | NO_FRONTEND_MODEL
        | _NO_PROMPT
        | undecided("router-block-size-equal", DECODE)
        | undecided("served-name-equal", _PAIR),
        ("starts 2 engines in one container",),
        gone=WITHOUT_EFFECT,
    ),
    Case(
        FILE,
        "an engine file that is a list",
        PUBLISHED,
        (put(CONFIG_MAP, "data[decode.yaml]", "- a\n- b\n"),),
        _UNREADABLE,
        ("decode.yaml of ConfigMap llm-config is a list, not a mapping of engine settings",),
        gone=WITHOUT_EFFECT,
    ),
    Case(
        FILE,
        "an engine file that is no YAML",
        PUBLISHED,
        (
            text(
                CONFIG_MAP, "data[decode.yaml]", "allreduce_strategy: AUTO\n", "allreduce_strategy: AUTO: x\n"
            ),
        ),
        _UNREADABLE,
        ("decode.yaml of ConfigMap llm-config, line 1: not YAML",),
        gone=WITHOUT_EFFECT,
    ),
    Case(
        FILE,
        "an engine file that nobody wrote",
        PUBLISHED,
        (put(GRAPH, f"{_FILE_VARIABLE}.value", "/opt/dynamo/configs/decoder.yaml"),),
        _UNREADABLE,
        ("has no key decoder.yaml", "its keys: decode.yaml, prefill.yaml"),
        gone=WITHOUT_EFFECT,
    ),
    Case(
        FILE,
        "an engine file outside the mounted ConfigMap",
        PUBLISHED,
        (put(GRAPH, f"{_FILE_VARIABLE}.value", "/opt/models/decode.yaml"),),
        unread_settings(DECODE) | unread_pair() | _NO_PROMPT,
        ("the engine file /opt/models/decode.yaml lies in no mounted volume",),
        gone=WITHOUT_EFFECT,
    ),
    Case(
        FILE,
        "a ConfigMap from elsewhere",
        PUBLISHED,
        (put("ConfigMap", "metadata.name", "other-config"),),
        unread_settings(PREFILL, DECODE)
        | unread_pair()
        | undecided("transfer-buffer-holds-the-prompt", _PAIR),
        ("ConfigMap llm-config is not part of what was read",),
        gone=WITHOUT_EFFECT
        | failed("engine-files-roll-pods", BASE_GRAPH)
        | failed("outlived-by-token-and-cache", BASE_GRAPH),
    ),
    Case(
        GPUS,
        "a variable from a Secret",
        PUBLISHED,
        (
            put(
                GRAPH,
                _FILE_VARIABLE,
                {"name": "ENGINE_ARGS", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}},
            ),
        ),
        unread_settings(DECODE) | unread_pair() | _NO_PROMPT | undecided("named-secrets-exist", "a"),
        ("the value of --extra-engine-args is unknown",),
        gone=WITHOUT_EFFECT,
    ),
    Case(
        GPUS,
        "another engine",
        PUBLISHED,
        (command(DECODE, _START, "python3 -m dynamo.sglang --tp 2"),),
        failed(GPUS, DECODE)
        | failed("image-brings-the-engine", DECODE)
        | failed("quantization-override-has-effect", DECODE),
        ("asks for 4 GPUs, but its engine uses 2",),
        gone=WITHOUT_EFFECT | _NO_PARSERS | _NO_HOP,
    ),
    Case(
        GPUS,
        "GPUs for a container without an engine",
        PUBLISHED,
        (command(DECODE, _START, "sleep infinity"),),
        undecided(GPUS, DECODE),
        ("asks for 4 GPUs, but no engine is seen",),
        gone=WITHOUT_EFFECT | _NO_PARSERS | _NO_HOP | undecided("cache-shared-by-nodes", "model-cache"),
    ),
    Case(
        GPUS,
        "a service that is no mapping",
        PUBLISHED,
        (put(GRAPH, "spec.services.Broken", 3),),
        unread_service("Broken")
        | failed("values-accepted", "Broken")
        | undecided("engine-files-roll-pods", BASE_GRAPH)
        | undecided("graph-depends-on-filled-cache", BASE_GRAPH)
        | undecided("no-public-endpoint", BASE_GRAPH)
        | undecided("outlived-by-token-and-cache", BASE_GRAPH),
        ("Broken is 3, not a mapping",),
        gone=failed("engine-files-roll-pods", BASE_GRAPH) | failed("outlived-by-token-and-cache", BASE_GRAPH),
    ),
)
