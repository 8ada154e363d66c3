"""Mutations of how the engine is started and of the file that it reads."""

from tests.rules.judging import DECODE, FILE, GPUS, OF_A_WORKER, PREFILL
from tests.rules.mutation import Mutation, undecided_engine

_DECODE_FLAGS = "--disaggregation-mode decode"
_DECODE_START = " \\\n                ".join(
    [
        "python3 -m dynamo.trtllm",
        '--model-path "${MODEL_PATH}"',
        '--served-model-name "openai/gpt-oss-120b"',
        '--extra-engine-args "${ENGINE_ARGS}"',
        "--disaggregation-mode decode",
    ]
)
_DECODE_FILE_VARIABLE = "value: /opt/dynamo/configs/decode.yaml"
_DECODE_GPUS = frozenset({(GPUS, "failed", DECODE)})

MUTATIONS = (
    Mutation(
        "both overrides at once",
        ((_DECODE_FLAGS, f"{_DECODE_FLAGS} --trtllm.max_batch_size 8 --override-engine-args '{{}}'"),),
        frozenset({(FILE, "failed", DECODE), (GPUS, "undecided", DECODE)}),
        ("exclude each other",),
    ),
    Mutation(
        "an override that is no JSON",
        ((_DECODE_FLAGS, f"{_DECODE_FLAGS} --override-engine-args '{{tensor'"),),
        frozenset({(FILE, "failed", DECODE), (GPUS, "undecided", DECODE)}),
        ("--override-engine-args is no JSON",),
    ),
    Mutation(
        "a start script with a shell variable",
        (
            (_DECODE_START, f"TP=8\n              {_DECODE_START} --tensor-parallel-size $TP"),
            ("    tensor_parallel_size: 4\n", ""),
        ),
        _DECODE_GPUS,
        ("tensor parallelism 8 (--tensor-parallel-size)",),
    ),
    Mutation(
        "an engine file that the start script writes",
        (
            (
                _DECODE_START,
                "cat > /tmp/engine.yaml <<'EOF'\n"
                "              tensor_parallel_size: 8\n"
                "              EOF\n"
                f"              {_DECODE_START} --extra-engine-args /tmp/engine.yaml",
            ),
        ),
        _DECODE_GPUS,
        ("tensor parallelism 8 (/tmp/engine.yaml, which the start script writes)",),
    ),
    Mutation(
        "a start script that computes a flag",
        (
            (_DECODE_START, f"{_DECODE_START} --tensor-parallel-size $(nvidia-smi -L | wc -l)"),
            ("    tensor_parallel_size: 4\n", ""),
        ),
        frozenset({(GPUS, "undecided", DECODE)}),
        ("the value of --tensor-parallel-size is unknown",),
    ),
    Mutation(
        "a start script with unknown further words",
        ((_DECODE_START, f"{_DECODE_START} $MORE_FLAGS"),),
        undecided_engine(DECODE),
        ("a word of the command line is unknown",),
    ),
    Mutation(
        "two engines in one container",
        ((_DECODE_START, f"{_DECODE_START} &\n              {_DECODE_START}"),),
        undecided_engine(DECODE),
        ("starts 2 engines in one container",),
    ),
    Mutation(
        "an engine file that is a list",
        (
            (
                "  decode.yaml: |\n    allreduce_strategy: AUTO\n",
                "  other.yaml: |\n    allreduce_strategy: AUTO\n",
            ),
            ("  prefill.yaml: |\n", "  decode.yaml: |\n    - a\n    - b\n  prefill.yaml: |\n"),
        ),
        frozenset({(FILE, "failed", DECODE), (GPUS, "undecided", DECODE)}),
        ("decode.yaml of ConfigMap llm-config is a list, not a mapping of engine settings",),
    ),
    Mutation(
        "an engine file that is no YAML",
        (("    allreduce_strategy: AUTO\n", "    allreduce_strategy: AUTO: x\n"),),
        frozenset({(FILE, "failed", DECODE), (GPUS, "undecided", DECODE)}),
        ("decode.yaml of ConfigMap llm-config, line 1: not YAML",),
    ),
    Mutation(
        "an engine file that nobody wrote",
        ((_DECODE_FILE_VARIABLE, "value: /opt/dynamo/configs/decoder.yaml"),),
        frozenset({(FILE, "failed", DECODE), (GPUS, "undecided", DECODE)}),
        ("has no key decoder.yaml", "its keys: decode.yaml, prefill.yaml"),
    ),
    Mutation(
        "an engine file outside the mounted ConfigMap",
        ((_DECODE_FILE_VARIABLE, "value: /opt/models/decode.yaml"),),
        undecided_engine(DECODE),
        ("the engine file /opt/models/decode.yaml lies in no mounted volume",),
    ),
    Mutation(
        "a ConfigMap from elsewhere",
        (("metadata:\n  name: llm-config\n", "metadata:\n  name: other-config\n"),),
        undecided_engine(PREFILL) | undecided_engine(DECODE),
        ("ConfigMap llm-config is not part of what was read",),
    ),
    Mutation(
        "a variable from a Secret",
        (
            (
                "{name: ENGINE_ARGS, value: /opt/dynamo/configs/decode.yaml}",
                "{name: ENGINE_ARGS, valueFrom: {secretKeyRef: {name: a, key: b}}}",
            ),
        ),
        undecided_engine(DECODE),
        ("the value of --extra-engine-args is unknown",),
    ),
    Mutation(
        "another engine",
        ((_DECODE_START, "python3 -m dynamo.sglang --tp 2"),),
        frozenset({(GPUS, "failed", DECODE)}),
        ("asks for 4 GPUs, but its engine uses 2",),
    ),
    Mutation(
        "GPUs for a container without an engine",
        ((_DECODE_START, "sleep infinity"),),
        frozenset({(GPUS, "undecided", DECODE)}),
        ("asks for 4 GPUs, but no engine is seen",),
    ),
    Mutation(
        "a service that is no mapping",
        (
            (
                "    Frontend:\n      componentType: frontend\n",
                "    Broken: 3\n    Frontend:\n      componentType: frontend\n",
            ),
        ),
        frozenset({(rule, "undecided", "Broken") for rule in OF_A_WORKER}),
        ("Broken is 3, not a mapping",),
    ),
)
