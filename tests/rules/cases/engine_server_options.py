"""Options with which vLLM's server, or TensorRT-LLM's, ends at start."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import add, put, text

FLAGS = "flags-exist"

_ENGINE = "spec.template.spec.containers[0]"

CASES = (
    Case(
        FLAGS,
        "a slip in a release of vLLM whose options are no slips of each other",
        "vllm-serve",
        (
            put("Deployment", f"{_ENGINE}.image", "docker.io/vllm/vllm-openai:v0.11.0"),
            add("Deployment", f"{_ENGINE}.args", "--enable-prefix-cacheing"),
        ),
        failed(FLAGS, "engine"),
        ("the nearest is --enable-prefix-caching",),
    ),
    Case(
        FLAGS,
        "Dynamo's names of the parsers",
        "vllm-serve",
        (
            put("Deployment", f"{_ENGINE}.args[9]", "--reasoning_parser=gpt_oss"),
            put("Deployment", f"{_ENGINE}.args[10]", "--tool-call-parser=harmony"),
        ),
        failed(FLAGS, "engine"),
        (
            "--reasoning-parser is gpt_oss, a name of Dynamo's or SGLang's: vllm serve calls the parser of "
            "gpt-oss openai_gptoss, and ends with a KeyError",
            "--tool-call-parser is harmony",
        ),
    ),
    Case(
        FLAGS,
        "a parser of a plugin, and one that nothing asks for",
        "vllm-serve",
        (
            put("Deployment", f"{_ENGINE}.args[9]", "--tool-parser-plugin=/opt/parsers.py"),
            put("Deployment", f"{_ENGINE}.args[10]", "--tool-call-parser=harmony"),
        ),
        frozenset(),
    ),
    Case(
        FLAGS,
        "a choice of tools without a parser",
        "vllm-serve",
        (put("Deployment", f"{_ENGINE}.args[10]", "--port=8000"),),
        failed(FLAGS, "engine"),
        ("--enable-auto-tool-choice stands without --tool-call-parser",),
    ),
    Case(
        FLAGS,
        "a choice of tools whose parser a variable may name",
        "vllm-serve",
        (
            put("Deployment", f"{_ENGINE}.args[10]", "--enable-auto-tool-choice"),
            put("Deployment", f"{_ENGINE}.args[11]", "$(MORE_OPTIONS)"),
            put("Deployment", f"{_ENGINE}.envFrom", [{"configMapRef": {"name": "options"}}]),
        ),
        undecided(FLAGS, "engine"),
    ),
    Case(
        FLAGS,
        "a choice of tools whose parser a file may name",
        "vllm-serve",
        (put("Deployment", f"{_ENGINE}.args[10]", "--config=/etc/vllm.yaml"),),
        undecided(FLAGS, "engine"),
    ),
    Case(
        FLAGS,
        "a number format that no release of vLLM takes",
        "vllm-serve",
        (
            put("Deployment", f"{_ENGINE}.image", "docker.io/vllm/vllm-openai:v0.11.0"),
            add("Deployment", f"{_ENGINE}.args", "--dtype=fp16"),
        ),
        failed(FLAGS, "engine"),
        ("--dtype is fp16", "one of auto, bfloat16, float, float16, float32, half"),
    ),
    Case(
        FLAGS,
        "a dash in an option of trtllm-serve",
        "trtllm-serve",
        (
            text("Deployment", f"{_ENGINE}.image", "1.3.0rc14", "1.1.0"),
            put("Deployment", f"{_ENGINE}.args[5]", "--tp-size=4"),
        ),
        failed(FLAGS, "engine"),
        ("--tp-size is no option of trtllm-serve 1.1: write --tp_size",),
    ),
)
