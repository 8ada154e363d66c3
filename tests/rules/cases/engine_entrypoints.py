"""vLLM as its own image and its module start it, and words that stand together where no shell parts them."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import add, drop, put, text
from tests.rules.serving_edits import GRAPH

RUNS, GPUS, REACHES = "start-command-runs", "gpus-match-parallelism", "service-reaches-pods"

_ENGINE = "spec.template.spec.containers[0]"
_FRONTEND = "spec.components[0].podTemplate.spec.containers[0]"
_BY_THE_IMAGE = drop("Deployment", f"{_ENGINE}.command")
_BY_THE_MODULE = put(
    "Deployment", f"{_ENGINE}.command", ["python3", "-m", "vllm.entrypoints.openai.api_server"]
)
_NAMED_BY_OPTION = text("Deployment", f"{_ENGINE}.args[0]", "/opt/models/", "--model=/opt/models/")
_EIGHT = put("Deployment", f"{_ENGINE}.args[4]", "--tensor-parallel-size=8")

CASES = (
    Case(
        GPUS,
        "tensor parallelism of a server that vLLM's image starts",
        "vllm-serve",
        (_BY_THE_IMAGE, _EIGHT),
        failed(GPUS, "engine"),
        ("asks for 4 GPUs, but its engine uses 8: tensor parallelism 8 (--tensor-parallel-size)",),
    ),
    Case(
        GPUS,
        "tensor parallelism of Red Hat's image, whose args begin with an option",
        "vllm-serve",
        (
            put("Deployment", f"{_ENGINE}.image", "registry.redhat.io/rhaiis/vllm-cuda-rhel9:3.2.1"),
            _BY_THE_IMAGE,
            _NAMED_BY_OPTION,
            _EIGHT,
        ),
        failed(GPUS, "engine"),
        ("its engine uses 8",),
    ),
    Case(
        GPUS,
        "tensor parallelism of vLLM's module",
        "vllm-serve",
        (_BY_THE_MODULE, _NAMED_BY_OPTION, _EIGHT),
        failed(GPUS, "engine"),
        ("its engine uses 8",),
    ),
    Case(GPUS, "vLLM's image with a command of its own", "vllm-serve", (_BY_THE_IMAGE,), frozenset()),
    Case(
        REACHES,
        "a port of a server that vLLM's image starts",
        "vllm-serve",
        (_BY_THE_IMAGE, put("Deployment", f"{_ENGINE}.args[3]", "--port=8080")),
        failed(REACHES, "vllm-serve"),
        ("leads to port 8000 of vllm-serve, which listens on 8080 (--port)",),
    ),
    Case(
        RUNS,
        "a program that vLLM's image is given",
        "vllm-serve",
        (_BY_THE_IMAGE, put("Deployment", f"{_ENGINE}.args", ["vllm", "serve", "openai/gpt-oss-120b"])),
        failed(RUNS, "engine"),
        ("its args begin with 'vllm', and its image starts vllm serve by itself",),
    ),
    Case(
        RUNS,
        "a program that an image of one's own is given, under the name of vLLM's",
        "vllm-serve",
        (
            _BY_THE_IMAGE,
            put("Deployment", f"{_ENGINE}.image", "registry.example.com/team/vllm-openai:v0.20.1"),
            put("Deployment", f"{_ENGINE}.args", ["vllm", "serve", "openai/gpt-oss-120b"]),
        ),
        frozenset(),
    ),
    Case(
        RUNS,
        "the image's own start",
        "vllm-serve",
        (_BY_THE_IMAGE,),
        frozenset(),
    ),
    Case(
        RUNS,
        "a command in one text",
        "vllm-serve",
        (put("Deployment", f"{_ENGINE}.command", ["vllm serve"]),),
        failed(RUNS, "engine"),
        ("its command begins with 'vllm serve': no shell parts it at the blank",),
    ),
    Case(
        RUNS,
        "an option and its value in one argument, after a switch too",
        "vllm-serve",
        (
            put("Deployment", f"{_ENGINE}.args[4]", "--tensor-parallel-size 4"),
            add("Deployment", f"{_ENGINE}.args", "--block_size 64"),
        ),
        failed(RUNS, "engine"),
        (
            "'--tensor-parallel-size 4' is one argument: no shell parts it at the blank",
            "'--block_size 64' is one argument",
        ),
    ),
    Case(
        RUNS,
        "blanks in values",
        "vllm-serve",
        (
            add("Deployment", f"{_ENGINE}.args", "--compilation-config={mode: 3}"),
            add("Deployment", f"{_ENGINE}.args", "--served-model-name"),
            add("Deployment", f"{_ENGINE}.args", "--a name with blanks"),
        ),
        frozenset(),
    ),
    Case(
        RUNS,
        "an option and its value as words of a script",
        "vllm-serve",
        (
            put("Deployment", f"{_ENGINE}.command", ["/bin/sh", "-c"]),
            put("Deployment", f"{_ENGINE}.args", ["vllm serve openai/gpt-oss-120b --tensor-parallel-size 4"]),
        ),
        frozenset(),
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
        "a file of python's, and a module with options before it",
        "vllm-agg",
        (put(GRAPH, f"{_FRONTEND}.command", ["python3", "-u", "-m", "dynamo.frontend"]),),
        frozenset(),
    ),
    Case(
        GPUS,
        "an option and its value in one argument leave the GPUs undecided",
        "vllm-serve",
        (put("Deployment", f"{_ENGINE}.args[4]", "--tensor-parallel-size 4"),),
        undecided(GPUS, "engine"),
        ("'--tensor-parallel-size 4' is one argument, so it does not set --tensor-parallel-size",),
    ),
    Case(
        RUNS,
        "a model and an option in one argument",
        "vllm-serve",
        (put("Deployment", f"{_ENGINE}.args[0]", "openai/gpt-oss-120b --block-size 64"),),
        failed(RUNS, "engine"),
        ("'openai/gpt-oss-120b --block-size 64' is one argument", "all of it is the model"),
    ),
    Case(
        RUNS,
        "a word before the options of vLLM's image, which may pass over it",
        "vllm-serve",
        (_BY_THE_IMAGE, put("Deployment", f"{_ENGINE}.args", ["serve", "--model=openai/gpt-oss-120b"])),
        frozenset(),
    ),
    Case(
        RUNS,
        "a slip in a command of vllm",
        "vllm-serve",
        (put("Deployment", f"{_ENGINE}.command", ["vllm", "server"]),),
        failed(RUNS, "engine"),
        ("starts vllm server, which is no command of vllm: write serve",),
    ),
    Case(
        RUNS,
        "a slip in the name of trtllm-serve",
        "trtllm-serve",
        (put("Deployment", f"{_ENGINE}.command", ["trtllm-server"]),),
        failed(RUNS, "engine"),
        ("starts trtllm-server, which its image does not have: write trtllm-serve",),
    ),
    Case(
        RUNS,
        "a program of another image, whose name is alike",
        "trtllm-serve",
        (
            put("Deployment", f"{_ENGINE}.command", ["trtllm-server"]),
            put("Deployment", f"{_ENGINE}.image", "ghcr.io/example/trtllm:1.0"),
        ),
        frozenset(),
    ),
    Case(
        "image-brings-the-engine",
        "a slip in the name of vLLM's module",
        "vllm-serve",
        (put("Deployment", f"{_ENGINE}.command", ["python3", "-m", "vllm.entrypoint.openai.api_server"]),),
        failed("image-brings-the-engine", "vllm-serve"),
        ("starts python module vllm.entrypoint.openai.api_server, which no release has: write vllm.",),
    ),
    Case(
        "cache-holds-the-model",
        "a claim smaller than the model in a directory of the model's name",
        "vllm-serve",
        (
            put("Deployment", f"{_ENGINE}.args[0]", "/opt/models/gpt-oss-120b"),
            put("PersistentVolumeClaim", "spec.resources.requests.storage", "50Gi"),
        ),
        failed("cache-holds-the-model", "model-cache"),
        ("asks for 50Gi (53.7 GB), but the tensors of /opt/models/gpt-oss-120b alone take 65.2 GB",),
    ),
    Case(
        "cache-holds-the-model",
        "a claim for one model in a directory, which has no second revision beside it",
        "vllm-serve",
        (
            put("Deployment", f"{_ENGINE}.args[0]", "/opt/models/gpt-oss-120b"),
            put("PersistentVolumeClaim", "spec.resources.requests.storage", "80Gi"),
        ),
        frozenset(),
    ),
)
