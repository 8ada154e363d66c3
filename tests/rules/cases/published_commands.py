"""How the published recipe's engine is started, and the file that it reads."""

from tests.rules.case import On
from tests.rules.edits import put
from tests.rules.judging import DECODE, FILE, GPUS
from tests.rules.names import GRAPH
from tests.rules.published_findings import CONFIG_MAP, PUBLISHED
from tests.rules.serving_edits import command, main

_START = " \\\n  ".join(
    [
        "python3 -m dynamo.trtllm",
        '--model-path "${MODEL_PATH}"',
        '--served-model-name "openai/gpt-oss-120b"',
        '--extra-engine-args "${ENGINE_ARGS}"',
        "--disaggregation-mode decode",
    ]
)

CASES = (
    On(GPUS, PUBLISHED, DECODE).fails(
        "an engine file that the start script writes",
        "tensor parallelism 8 (/tmp/engine.yaml, which the start script writes)",
        command(
            DECODE,
            _START,
            "cat > /tmp/engine.yaml <<'EOF'\n"
            "tensor_parallel_size: 8\n"
            "EOF\n"
            f"{_START} --extra-engine-args /tmp/engine.yaml",
        ),
    ),
    On(GPUS, PUBLISHED, DECODE).is_undecided(
        "a start script with unknown further words",
        "a word of the command line is unknown",
        command(DECODE, _START, f"{_START} $MORE_FLAGS"),
    ),
    On(GPUS, PUBLISHED, DECODE).is_undecided(
        "two engines in one container",
        "starts 2 engines in one container",
        command(DECODE, _START, f"{_START} &\n{_START}"),
    ),
    On(FILE, PUBLISHED, DECODE).fails(
        "an engine file that is a list",
        "decode.yaml of ConfigMap llm-config is a list, not a mapping of engine keys",
        put(CONFIG_MAP, "data[decode.yaml]", "- a\n- b\n"),
    ),
    On(FILE, PUBLISHED, DECODE).is_undecided(
        "an engine file outside the mounted ConfigMap",
        "settings.yaml lies in volume model-cache, which is no ConfigMap",
        main(DECODE, "env[3].value", "/opt/models/settings.yaml"),
    ),
    On(GPUS, PUBLISHED, "Broken").is_undecided(
        "a service that is no mapping", "Broken is 3, not a mapping", put(GRAPH, "spec.services.Broken", 3)
    ),
    On("start-command-runs", PUBLISHED, DECODE).fails(
        "a variable of nearly the name that is set, and a blank behind the backslash",
        "its start script reads $ENGINE_ARG, which nothing sets; ENGINE_ARGS is set",
        command(DECODE, "${ENGINE_ARGS}", "${ENGINE_ARG}"),
        "a line of its start script begins with --disaggregation-mode: the line before does not go on",
        command(DECODE, "--disaggregation-mode", "\\ \n--disaggregation-mode"),
    ),
    On("start-command-runs", PUBLISHED).passes(
        "a variable of nearly the name that is set, which a loop of the script sets",
        command(DECODE, "${ENGINE_ARGS}", "${ENGINE_ARG}"),
        command(DECODE, "python3 -m", "for ENGINE_ARG in ${ENGINE_ARGS}; do true; done\npython3 -m"),
    ),
)
