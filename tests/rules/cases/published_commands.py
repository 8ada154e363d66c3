"""How the published recipe's engine is started, and the file that it reads."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import put
from tests.rules.judging import DECODE, FILE, GPUS
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
        "an engine file outside the mounted ConfigMap",
        PUBLISHED,
        (put(GRAPH, f"{_FILE_VARIABLE}.value", "/opt/models/settings.yaml"),),
        undecided(FILE, DECODE),
        ("settings.yaml lies in volume model-cache, which is no ConfigMap",),
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
        "a variable of nearly the name that is set, which a loop of the script sets",
        PUBLISHED,
        (
            command(DECODE, "${ENGINE_ARGS}", "${ENGINE_ARG}"),
            command(DECODE, "python3 -m", "for ENGINE_ARG in ${ENGINE_ARGS}; do true; done\npython3 -m"),
        ),
    ),
    Case(
        "start-command-runs",
        "a blank behind the backslash, after which the line does not go on",
        PUBLISHED,
        (command(DECODE, "--disaggregation-mode", "\\ \n--disaggregation-mode"),),
        failed("start-command-runs", DECODE),
        ("a line of its start script begins with --disaggregation-mode: the line before does not go on",),
    ),
)
