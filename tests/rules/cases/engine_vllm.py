"""Options of vLLM and their values, under Dynamo and under `vllm serve`."""

import json

from tests.rules.case import Case, failed
from tests.rules.edits import add, put
from tests.rules.serving_edits import GRAPH, SERVER, VLLM_MAIN

FLAGS = "flags-exist"
VALUES = "engine-settings-accepted"
STRUCTURED = "structured-output-without-draft-model"


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
        (add("Deployment", f"{SERVER}.args", "--enable_prefix_cacheing"),),
        failed(FLAGS, "engine"),
        ("--enable-prefix-cacheing is no option of vllm serve 0.20; the nearest is --enable-prefix-caching",),
    ),
    Case(
        FLAGS,
        "words for numbers, and a number that is missing",
        "vllm-agg",
        (
            add(GRAPH, f"{VLLM_MAIN}.args", "--block-size=abc"),
            add(GRAPH, f"{VLLM_MAIN}.args", "--stream_interval"),
        ),
        failed(FLAGS, "VllmWorker"),
        (
            "--block-size is abc, and must be a whole number",
            "--stream-interval is without a value, and must be a whole number",
        ),
    ),
    Case(
        FLAGS,
        "a backend of attention that vLLM does not have",
        "vllm-agg",
        (add(GRAPH, f"{VLLM_MAIN}.args", "--attention-backend=FLASHINFR"),),
        failed(FLAGS, "VllmWorker"),
        ("--attention-backend is FLASHINFR, which dynamo.vllm 1.2 does not take; the nearest is FLASHINFER",),
    ),
    Case(
        VALUES,
        "slips in a connector and in a role",
        "vllm-serve",
        (add("Deployment", f"{SERVER}.args", _transfer("NixlConector", "kv_bth")),),
        failed(VALUES, "engine"),
        (
            "kv_connector in --kv-transfer-config is NixlConector, which its release of vLLM does not have; "
            "the nearest is NixlConnector",
            "kv_role in --kv-transfer-config is kv_bth, none of kv_both, kv_consumer, kv_producer",
        ),
    ),
    *(
        Case(
            VALUES,
            name,
            "vllm-serve",
            (add("Deployment", f"{SERVER}.args", argument),),
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
            add("Deployment", f"{SERVER}.args", _DRAFT),
            add("Deployment", f"{SERVER}.args", "--structured-outputs-config.backend=xgrammar"),
        ),
        failed(STRUCTURED, "engine"),
        (
            "has a draft model (--speculative-config) and sets structured output up "
            "(--structured-outputs-config.backend)",
        ),
    ),
    Case(
        STRUCTURED,
        "a draft model with parsers of tool calls",
        "vllm-serve",
        (add("Deployment", f"{SERVER}.args", _DRAFT),),
    ),
    Case(
        VALUES,
        "another quantization than the checkpoint's",
        "vllm-serve",
        (add("Deployment", f"{SERVER}.args", "--quantization=fp8"),),
        failed(VALUES, "engine"),
        ("quantization fp8 (--quantization) is not what /opt/models/", "holds, mxfp4: vLLM refuses"),
    ),
    Case(
        FLAGS,
        "a model that is nearly the published one",
        "vllm-serve",
        (put("Deployment", f"{SERVER}.args[0]", "openai/gpt-oss120b"),),
        failed(FLAGS, "engine"),
        ("its model is openai/gpt-oss120b, which the hub does not have; the nearest is openai/gpt-oss-120b",),
    ),
)
