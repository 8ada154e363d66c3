"""How the published recipe's engine is started, and the file that it reads."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import put, text
from tests.rules.judging import DECODE, FILE, GPUS, PREFILL
from tests.rules.published_findings import (
    CONFIG_MAP,
    PUBLISHED,
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

CASES = (
    Case(
        FILE,
        "both overrides at once",
        PUBLISHED,
        (command(DECODE, _FLAGS, f"{_FLAGS} --trtllm.max_batch_size 8 --override-engine-args '{{}}'"),),
        failed(FILE, DECODE),
        ("exclude each other",),
    ),
    Case(
        FILE,
        "an override that is no JSON",
        PUBLISHED,
        (command(DECODE, _FLAGS, f"{_FLAGS} --override-engine-args '{{tensor'"),),
        failed(FILE, DECODE),
        ("--override-engine-args is no JSON",),
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
        failed(GPUS, DECODE),
        ("tensor parallelism 8 (/tmp/engine.yaml, which the start script writes)",),
    ),
    Case(
        GPUS,
        "a start script that computes a flag",
        PUBLISHED,
        (
            command(DECODE, _START, f"{_START} --tensor-parallel-size $(nvidia-smi -L | wc -l)"),
            text(CONFIG_MAP, "data[decode.yaml]", "tensor_parallel_size: 4\n", ""),
        ),
        undecided(GPUS, DECODE),
        ("the value of --tensor-parallel-size is unknown",),
    ),
    Case(
        GPUS,
        "a start script with unknown further words",
        PUBLISHED,
        (command(DECODE, _START, f"{_START} $MORE_FLAGS"),),
        undecided(GPUS, DECODE),
        ("a word of the command line is unknown",),
    ),
    Case(
        GPUS,
        "two engines in one container",
        PUBLISHED,
        (command(DECODE, _START, f"{_START} &\n{_START}"),),
        undecided(GPUS, DECODE),
        ("starts 2 engines in one container",),
    ),
    Case(
        FILE,
        "an engine file that is a list",
        PUBLISHED,
        (put(CONFIG_MAP, "data[decode.yaml]", "- a\n- b\n"),),
        failed(FILE, DECODE),
        ("decode.yaml of ConfigMap llm-config is a list, not a mapping of engine settings",),
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
        failed(FILE, DECODE),
        ("decode.yaml of ConfigMap llm-config, line 1: not YAML",),
    ),
    Case(
        FILE,
        "an engine file that nobody wrote",
        PUBLISHED,
        (put(GRAPH, f"{_FILE_VARIABLE}.value", "/opt/dynamo/configs/decoder.yaml"),),
        failed(FILE, DECODE),
        ("has no key decoder.yaml", "its keys: decode.yaml, prefill.yaml"),
    ),
    Case(
        FILE,
        "an engine file outside the mounted ConfigMap",
        PUBLISHED,
        (put(GRAPH, f"{_FILE_VARIABLE}.value", "/opt/models/settings.yaml"),),
        undecided(FILE, DECODE),
        ("the engine file /opt/models/settings.yaml lies in no mounted volume",),
    ),
    Case(
        FILE,
        "a ConfigMap from elsewhere",
        PUBLISHED,
        (put("ConfigMap", "metadata.name", "other-config"),),
        undecided(FILE, DECODE, PREFILL),
        ("ConfigMap llm-config is not part of what was read",),
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
        undecided(GPUS, DECODE),
        ("the value of --extra-engine-args is unknown",),
    ),
    Case(
        GPUS,
        "GPUs for a container without an engine",
        PUBLISHED,
        (command(DECODE, _START, "sleep infinity"),),
        undecided(GPUS, DECODE),
        ("asks for 4 GPUs, but no engine is seen",),
    ),
    Case(
        GPUS,
        "a service that is no mapping",
        PUBLISHED,
        (put(GRAPH, "spec.services.Broken", 3),),
        undecided(GPUS, "Broken"),
        ("Broken is 3, not a mapping",),
    ),
    Case(
        "start-command-runs",
        "a variable of nearly the name that is set",
        PUBLISHED,
        (command(DECODE, "${ENGINE_ARGS}", "${ENGINE_ARG}"),),
        failed("start-command-runs", DECODE),
        ("its start script reads $ENGINE_ARG, which nothing sets; ENGINE_ARGS is set",),
    ),
    Case(
        "start-command-runs",
        "a variable of nearly the name that is set, which the script sets itself",
        PUBLISHED,
        (
            command(DECODE, "${ENGINE_ARGS}", "${ENGINE_ARG}"),
            command(DECODE, "python3 -m", "ENGINE_ARG=$ENGINE_ARGS; python3 -m"),
        ),
        frozenset(),
    ),
    Case(
        "start-command-runs",
        "a blank behind the backslash, after which the line does not go on",
        PUBLISHED,
        (command(DECODE, "--disaggregation-mode", "\\ \n--disaggregation-mode"),),
        failed("start-command-runs", DECODE),
        ("a line of its start script begins with --disaggregation-mode: the line before does not go on",),
    ),
    Case(
        "start-command-runs",
        "a line that goes on",
        PUBLISHED,
        (command(DECODE, "--disaggregation-mode", "\\\n--disaggregation-mode"),),
        frozenset(),
    ),
    Case(
        "start-command-runs",
        "quotation marks that no shell takes away",
        "vllm-serve",
        (
            text(
                "Deployment",
                "spec.template.spec.containers[0].args[1]",
                "openai/gpt-oss-120b",
                '"openai/gpt-oss-120b"',
            ),
        ),
        failed("start-command-runs", "engine"),
        ('--served-model-name is given "openai/gpt-oss-120b" with its quotation marks',),
    ),
)
