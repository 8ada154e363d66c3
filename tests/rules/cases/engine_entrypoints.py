"""vLLM as its own image and its module start it, and words that stand together where no shell parts them."""

from tests.rules.case import On
from tests.rules.edits import add, drop, put
from tests.rules.names import SERVER

CASES = (
    On("start-command-runs", "vllm-serve", "engine").fails(
        "a command in one text",
        "its command begins with 'vllm serve': no shell parts it at the blank",
        put("Deployment", f"{SERVER}.command", ["vllm serve"]),
    ),
    On("flags-exist", "vllm-serve", "engine").fails(
        "an option and its value in one argument, after a switch too",
        ("--tensor-parallel-size 4 is no option of vllm serve", "--block-size 64 is no option"),
        put("Deployment", f"{SERVER}.args[4]", "--tensor-parallel-size 4"),
        add("Deployment", f"{SERVER}.args", "--block_size 64"),
    ),
    On("image-brings-the-engine", "vllm-serve", "vllm-serve").fails(
        "a slip in the name of vLLM's module",
        "starts python module vllm.entrypoint.openai.api_server, which no release has: write vllm.",
        put("Deployment", f"{SERVER}.command", ["python3", "-m", "vllm.entrypoint.openai.api_server"]),
    ),
    On("cache-holds-the-model", "vllm-serve", "model-cache").fails(
        "a claim smaller than the model in a directory of the model's name",
        "asks for 50Gi (53.7 GB), but the tensors of /opt/models/gpt-oss-120b alone take 65.2 GB",
        put("Deployment", f"{SERVER}.args[0]", "/opt/models/gpt-oss-120b"),
        put("PersistentVolumeClaim", "spec.resources.requests.storage", "50Gi"),
    ),
    On("start-command-runs", "vllm-serve", "engine").fails(
        "a program that vLLM's image is given",
        "its args begin with 'vllm', and its image starts vllm serve by itself",
        drop("Deployment", f"{SERVER}.command"),
        put("Deployment", f"{SERVER}.args", ["vllm", "serve", "openai/gpt-oss-120b"]),
    ),
)
