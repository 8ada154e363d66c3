"""Options with which vLLM's server, or TensorRT-LLM's, ends at start."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import add, put

FLAGS = "flags-exist"

_ENGINE = "spec.template.spec.containers[0]"

CASES = (
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
)
