"""Options of start commands, and the values that they take."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, add, put, text
from tests.rules.serving_edits import (
    FRONTEND,
    GRAPH,
    PREFILL,
    WORKER,
    command,
    main,
    worker_flags,
)

FLAGS = "flags-exist"
CHOICES = "engine-settings-accepted"
_OLD_IMAGE = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.3.1"
_SERVE_ARGS = "spec.template.spec.containers[0].args"
_NEW_IMAGE = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.9.0"
_VLLM_IMAGE = "spec.components[1].podTemplate.spec.containers[0].image"
_VLLM_ARGS = "spec.components[1].podTemplate.spec.containers[0].args"


def _vllm_argument(index: int, old: str, new: str) -> Edit:
    return text(GRAPH, f"{_VLLM_ARGS}[{index}]", old, new)


CASES = (
    Case(
        FLAGS,
        "a misspelt option of a worker",
        "agg-gb200",
        (worker_flags(WORKER, "--max-batchsize 800"),),
        failed(FLAGS, WORKER),
        ("--max-batchsize is no option of dynamo.trtllm 1.2; the nearest is --max-batch-size",),
    ),
    Case(
        FLAGS,
        "an option that older guides name",
        "disagg-b200",
        (worker_flags(PREFILL, "--disaggregation-strategy prefill_first"),),
        failed(FLAGS, PREFILL),
        ("--disaggregation-strategy is no option of dynamo.trtllm 1.2: leave it out",),
    ),
    Case(
        FLAGS,
        "an option of the frontend that has another name now",
        "agg-gb200",
        (command(FRONTEND, "--http-port 8000", "--http-port 8000 --store-kv etcd"),),
        failed(FLAGS, FRONTEND),
        ("--store-kv is no option of dynamo.frontend 1.2: write --discovery-backend",),
    ),
    Case(
        FLAGS,
        "an option of a later release",
        "agg-gb200",
        (worker_flags(WORKER, "--conversation-affinity"), main(WORKER, "image", _OLD_IMAGE)),
        failed(FLAGS, WORKER),
        ("--conversation-affinity is no option of dynamo.trtllm 1.3",),
    ),
    Case(
        FLAGS,
        "an option of a release that nobody read",
        "vllm-agg",
        (put(GRAPH, _VLLM_IMAGE, _NEW_IMAGE), _vllm_argument(9, "--enable-prefix-caching", "--brand-new")),
        undecided(FLAGS, "VllmWorker"),
        (
            "--brand-new is no option of dynamo.vllm in any release that was read",
            f"whether image {_NEW_IMAGE}",
        ),
    ),
    Case(
        FLAGS,
        "underscores, a key of a JSON option and a short name of vLLM",
        "vllm-agg",
        (
            _vllm_argument(9, "--enable-prefix-caching", "--enable_prefix_caching"),
            add(GRAPH, _VLLM_ARGS, "--compilation-config.cudagraph_mode=FULL"),
            add(GRAPH, _VLLM_ARGS, "-O2"),
        ),
    ),
    Case(
        CHOICES,
        "per cent for a share",
        "vllm-agg",
        (_vllm_argument(7, "0.9", "90"),),
        failed(CHOICES, "VllmWorker"),
        ("--gpu-memory-utilization (--gpu-memory-utilization) is 90, not a share of the memory",),
    ),
    Case(
        FLAGS,
        "dashes and an older option of trtllm-serve",
        "trtllm-serve",
        (
            add("Deployment/trtllm-serve", _SERVE_ARGS, "--enable-chunked-prefill"),
            add("Deployment/trtllm-serve", _SERVE_ARGS, "--moe_backend=CUTLASS"),
        ),
        failed(FLAGS, "engine"),
        (
            "--enable-chunked-prefill is no option of trtllm-serve 1.3: write --enable_chunked_prefill",
            "--moe_backend is no option of trtllm-serve 1.3: write moe_config.backend in the engine file",
        ),
    ),
    Case(
        FLAGS,
        "switches that are turned off, short names and settings of the engine",
        "agg-gb200",
        (
            worker_flags(WORKER, "--no-frontend-decoding --publish-events --trtllm.print_iter_log true"),
            command(FRONTEND, "--http-port 8000", "--http-port 8000 --no-router-kv-events -i"),
        ),
    ),
)
