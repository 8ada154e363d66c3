"""vLLM as its own image and its module start it, and words that stand together where no shell parts them."""

from tests.rules.case import Case, failed
from tests.rules.edits import add, drop, put
from tests.rules.serving_edits import SERVER

RUNS = "start-command-runs"

_FRONTEND = "spec.components[0].podTemplate.spec.containers[0]"
_BY_THE_IMAGE = drop("Deployment", f"{SERVER}.command")
CASES = (
    Case(
        RUNS,
        "a command in one text",
        "vllm-serve",
        (put("Deployment", f"{SERVER}.command", ["vllm serve"]),),
        failed(RUNS, "engine"),
        ("its command begins with 'vllm serve': no shell parts it at the blank",),
    ),
    Case(
        "flags-exist",
        "an option and its value in one argument, after a switch too",
        "vllm-serve",
        (
            put("Deployment", f"{SERVER}.args[4]", "--tensor-parallel-size 4"),
            add("Deployment", f"{SERVER}.args", "--block_size 64"),
        ),
        failed("flags-exist", "engine"),
        ("--tensor-parallel-size 4 is no option of vllm serve", "--block-size 64 is no option"),
    ),
    Case(
        "image-brings-the-engine",
        "a slip in the name of vLLM's module",
        "vllm-serve",
        (put("Deployment", f"{SERVER}.command", ["python3", "-m", "vllm.entrypoint.openai.api_server"]),),
        failed("image-brings-the-engine", "vllm-serve"),
        ("starts python module vllm.entrypoint.openai.api_server, which no release has: write vllm.",),
    ),
    Case(
        "cache-holds-the-model",
        "a claim smaller than the model in a directory of the model's name",
        "vllm-serve",
        (
            put("Deployment", f"{SERVER}.args[0]", "/opt/models/gpt-oss-120b"),
            put("PersistentVolumeClaim", "spec.resources.requests.storage", "50Gi"),
        ),
        failed("cache-holds-the-model", "model-cache"),
        ("asks for 50Gi (53.7 GB), but the tensors of /opt/models/gpt-oss-120b alone take 65.2 GB",),
    ),
    Case(
        RUNS,
        "a program that vLLM's image is given",
        "vllm-serve",
        (_BY_THE_IMAGE, put("Deployment", f"{SERVER}.args", ["vllm", "serve", "openai/gpt-oss-120b"])),
        failed(RUNS, "engine"),
        ("its args begin with 'vllm', and its image starts vllm serve by itself",),
    ),
)
