"""vLLM as its own image and its module start it, and words that stand together where no shell parts them."""

from tests.rules.case import Case, failed
from tests.rules.edits import add, drop, put
from tests.rules.serving_edits import GRAPH, SERVER

RUNS = "start-command-runs"

_FRONTEND = "spec.components[0].podTemplate.spec.containers[0]"
_BY_THE_IMAGE = drop("Deployment", f"{SERVER}.command")
_SLIP = (
    put("Deployment", f"{SERVER}.command", ["/bin/sh", "-c"]),
    put("Deployment", f"{SERVER}.args", ["exec trtllm-server openai/gpt-oss-120b"]),
)

CASES = (
    Case(
        RUNS,
        "a program that vLLM's image is given",
        "vllm-serve",
        (_BY_THE_IMAGE, put("Deployment", f"{SERVER}.args", ["vllm", "serve", "openai/gpt-oss-120b"])),
        failed(RUNS, "engine"),
        ("its args begin with 'vllm', and its image starts vllm serve by itself",),
    ),
    Case(
        RUNS,
        "a command in one text",
        "vllm-serve",
        (put("Deployment", f"{SERVER}.command", ["vllm serve"]),),
        failed(RUNS, "engine"),
        ("its command begins with 'vllm serve': no shell parts it at the blank",),
    ),
    Case(
        RUNS,
        "an option and its value in one argument, after a switch too",
        "vllm-serve",
        (
            put("Deployment", f"{SERVER}.args[4]", "--tensor-parallel-size 4"),
            add("Deployment", f"{SERVER}.args", "--block_size 64"),
        ),
        failed(RUNS, "engine"),
        (
            "'--tensor-parallel-size 4' is one argument: no shell parts it at the blank",
            "'--block_size 64' is one argument",
        ),
    ),
    Case(
        RUNS,
        "a module without -m",
        "vllm-agg",
        (put(GRAPH, f"{_FRONTEND}.command", ["python3", "-u", "dynamo.frontend"]),),
        failed(RUNS, "Frontend"),
        ("starts python with dynamo.frontend and no -m before it",),
    ),
    Case(
        RUNS,
        "a model and an option in one argument",
        "vllm-serve",
        (put("Deployment", f"{SERVER}.args[0]", "openai/gpt-oss-120b --block-size 64"),),
        failed(RUNS, "engine"),
        ("'openai/gpt-oss-120b --block-size 64' is one argument", "all of it is the model"),
    ),
    Case(
        RUNS,
        "a slip in a command of vllm",
        "vllm-serve",
        (put("Deployment", f"{SERVER}.command", ["vllm", "server"]),),
        failed(RUNS, "engine"),
        ("starts vllm server, which is no command of vllm: write serve",),
    ),
    Case(
        RUNS,
        "a slip in the name of trtllm-serve",
        "trtllm-serve",
        _SLIP,
        failed(RUNS, "engine"),
        ("starts trtllm-server, which its image does not have: write trtllm-serve",),
    ),
    Case(
        RUNS,
        "a program of nearly that name in an image of one's own",
        "trtllm-serve",
        (*_SLIP, put("Deployment", f"{SERVER}.image", "example.com/ours:1")),
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
)
