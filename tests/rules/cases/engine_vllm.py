"""Options of vLLM and their values, under Dynamo and under `vllm serve`."""

import json

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import add, put, text
from tests.rules.serving_edits import GRAPH

FLAGS = "flags-exist"
VALUES = "engine-settings-accepted"
STRUCTURED = "structured-output-without-draft-model"
_SERVE = "spec.template.spec.containers[0]"
_DYNAMO = "spec.components[1].podTemplate.spec.containers[0]"
_LATER = "docker.io/vllm/vllm-openai:v0.40.0"


def _transfer(connector: str, role: str, **others: str) -> str:
    return f"--kv-transfer-config={json.dumps({'kv_connector': connector, 'kv_role': role, **others})}"


_DRAFT = "--speculative-config=" + json.dumps(
    {"method": "eagle3", "model": "nvidia/gpt-oss-120b-Eagle3-v3", "num_speculative_tokens": 3}
)

CASES = (
    Case(
        FLAGS,
        "a slip under vllm serve",
        "vllm-serve",
        (add("Deployment", f"{_SERVE}.args", "--enable_prefix_cacheing"),),
        failed(FLAGS, "engine"),
        ("--enable-prefix-cacheing is no option of vllm serve 0.20; the nearest is --enable-prefix-caching",),
    ),
    Case(
        FLAGS,
        "an option of vllm serve in a release that was not read",
        "vllm-serve",
        (
            put("Deployment", f"{_SERVE}.image", _LATER),
            add("Deployment", f"{_SERVE}.args", "--enable-prefix-cacheing"),
            add("Deployment", f"{_SERVE}.args", "--load-format=safetensor"),
        ),
        undecided(FLAGS, "engine"),
        ("is no option of vllm serve in any release that was read", f"whether image {_LATER} has it"),
    ),
    Case(
        FLAGS,
        "an option of vLLM-Omni",
        "vllm-serve",
        (add("Deployment", f"{_SERVE}.args", "--omni"), add("Deployment", f"{_SERVE}.args", "--stage-id=0")),
        frozenset(),
    ),
    Case(
        FLAGS,
        "options of the server, in any spelling",
        "vllm-serve",
        (
            add("Deployment", f"{_SERVE}.args", "--uvicorn_log_level=info"),
            add("Deployment", f"{_SERVE}.args", "--no-enable-log-deltas"),
            add("Deployment", f"{_SERVE}.args", "--load-format=Safetensors"),
        ),
        frozenset(),
    ),
    Case(
        FLAGS,
        "a format of the weights that nobody has",
        "vllm-agg",
        (add(GRAPH, f"{_DYNAMO}.args", "--load-format=safetensor"),),
        failed(FLAGS, "VllmWorker"),
        ("--load-format is safetensor, which dynamo.vllm 1.2 does not take; the nearest is safetensors",),
    ),
    Case(
        FLAGS,
        "values under vllm serve",
        "vllm-serve",
        (
            add("Deployment", f"{_SERVE}.args", "--dtype=bf16"),
            add("Deployment", f"{_SERVE}.args", "--quantization=fp8x"),
        ),
        failed(FLAGS, "engine"),
        (
            "--dtype is bf16, which vllm serve 0.20 does not take; the nearest is bfloat16",
            "--quantization is fp8x, which vllm serve 0.20 does not take; the nearest is fp8",
        ),
    ),
    Case(
        FLAGS,
        "words for numbers, and a number that is missing",
        "vllm-agg",
        (
            add(GRAPH, f"{_DYNAMO}.args", "--block-size=abc"),
            add(GRAPH, f"{_DYNAMO}.args", "--stream_interval"),
        ),
        failed(FLAGS, "VllmWorker"),
        (
            "--block-size is 'abc', no whole number: vLLM ends with a usage error",
            "--stream-interval has no value, and argparse expects one",
        ),
    ),
    Case(
        FLAGS,
        "a unit that vLLM does not have",
        "vllm-serve",
        (text("Deployment", f"{_SERVE}.args[7]", "16384", "16x"),),
        failed(FLAGS, "engine"),
        ("--max-num-batched-tokens is '16x', no whole number and no number with a unit such as 4k",),
    ),
    Case(
        FLAGS,
        "a word for a number in a release that was not read",
        "vllm-serve",
        (
            put("Deployment", f"{_SERVE}.image", _LATER),
            add("Deployment", f"{_SERVE}.args", "--stream-interval=auto"),
        ),
        undecided(FLAGS, "engine"),
        ("--stream-interval is 'auto'", "in the releases that were read"),
    ),
    Case(
        FLAGS,
        "a backend of attention that vLLM does not have",
        "vllm-agg",
        (add(GRAPH, f"{_DYNAMO}.args", "--attention-backend=FLASHINFR"),),
        failed(FLAGS, "VllmWorker"),
        ("--attention-backend is FLASHINFR, which dynamo.vllm 1.2 does not take; the nearest is FLASHINFER",),
    ),
    Case(
        VALUES,
        "slips in a connector and in a role",
        "vllm-serve",
        (add("Deployment", f"{_SERVE}.args", _transfer("NixlConector", "kv_bth")),),
        failed(VALUES, "engine"),
        (
            "kv_connector in --kv-transfer-config is NixlConector, which its release of vLLM does not have; "
            "the nearest is NixlConnector",
            "kv_role in --kv-transfer-config is kv_bth, none of kv_both, kv_consumer, kv_producer",
        ),
    ),
    Case(
        VALUES,
        "a connector of a later release",
        "vllm-serve",
        (add("Deployment", f"{_SERVE}.args", _transfer("NixlPullConnector", "kv_both")),),
        failed(VALUES, "engine"),
        ("is NixlPullConnector, which its release of vLLM does not have",),
    ),
    *(
        Case(
            VALUES,
            name,
            "vllm-serve",
            (add("Deployment", f"{_SERVE}.args", argument),),
            frozenset(),
        )
        for name, argument in (
            ("a connector of a plugin", _transfer("OurConnector", "kv_both")),
            (
                "a connector that is found by its path",
                _transfer("NixlConector", "kv_both", kv_connector_module_path="ours"),
            ),
        )
    ),
    Case(
        STRUCTURED,
        "structured output set up beside a draft model",
        "vllm-serve",
        (
            add("Deployment", f"{_SERVE}.args", _DRAFT),
            add("Deployment", f"{_SERVE}.args", "--structured-outputs-config.backend=xgrammar"),
        ),
        failed(STRUCTURED, "engine"),
        (
            "has a draft model (--speculative-config) and sets structured output up "
            "(--structured-outputs-config.backend)",
        ),
    ),
    Case(
        STRUCTURED,
        "the same as one object under Dynamo, in the publisher's image",
        "vllm-agg",
        (
            add("DynamoGraphDeployment", f"{_DYNAMO}.args", _DRAFT),
            add(
                "DynamoGraphDeployment",
                f"{_DYNAMO}.args",
                '--structured-outputs-config={"backend":"guidance"}',
            ),
        ),
        failed(STRUCTURED, "VllmWorker"),
    ),
    Case(
        STRUCTURED,
        "a draft model with parsers of tool calls",
        "vllm-serve",
        (add("Deployment", f"{_SERVE}.args", _DRAFT),),
        frozenset(),
    ),
    Case(
        VALUES,
        "another quantization than the checkpoint's",
        "vllm-serve",
        (add("Deployment", f"{_SERVE}.args", "--quantization=fp8"),),
        failed(VALUES, "engine"),
        ("quantization fp8 (--quantization) is not what /opt/models/", "holds, mxfp4: vLLM refuses"),
    ),
    Case(
        VALUES,
        "the checkpoint's own quantization",
        "vllm-serve",
        (add("Deployment", f"{_SERVE}.args", "--quantization=mxfp4"),),
        frozenset(),
    ),
    Case(
        FLAGS,
        "a parser that the release does not have",
        "vllm-agg",
        (
            put(GRAPH, f"{_DYNAMO}.args[0]", "--model=nvidia/Kimi-K2.6-NVFP4"),
            put(GRAPH, f"{_DYNAMO}.args[1]", "--served-model-name=kimi"),
            add(GRAPH, f"{_DYNAMO}.args", "--dyn-tool-call-parser=kimi_k2_5"),
        ),
        failed(FLAGS, "VllmWorker"),
        ("--dyn-tool-call-parser is kimi_k2_5, which dynamo.vllm 1.2 does not take",),
    ),
    Case(
        FLAGS,
        "a model that is nearly the published one",
        "vllm-serve",
        (put("Deployment", f"{_SERVE}.args[0]", "openai/gpt-oss120b"),),
        failed(FLAGS, "engine"),
        ("its model is openai/gpt-oss120b, which the hub does not have; the nearest is openai/gpt-oss-120b",),
    ),
)
