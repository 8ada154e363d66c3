"""Options of vLLM and their values, under Dynamo and under `vllm serve`."""

import json

from tests.rules.case import On
from tests.rules.edits import add, put
from tests.rules.names import GRAPH, SERVER, VLLM_MAIN

FLAGS = "flags-exist"
VALUES = "engine-settings-accepted"


def _transfer(connector: str, role: str, **others: str) -> str:
    return f"--kv-transfer-config={json.dumps({'kv_connector': connector, 'kv_role': role, **others})}"


_DRAFT = "-sc=" + json.dumps(
    {"method": "eagle3", "model": "nvidia/gpt-oss-120b-Eagle3-v3", "num_speculative_tokens": 3}
)

CASES = (
    On(FLAGS, "vllm-serve", "engine").fails(
        "a slip under vllm serve, and a model that is nearly the published one",
        "--enable-prefix-cacheing is no option of vllm serve 0.20; the nearest is --enable-prefix-caching",
        add("Deployment", f"{SERVER}.args", "--enable_prefix_cacheing"),
        "its model is openai/gpt-oss120b, which the hub does not have; the nearest is openai/gpt-oss-120b",
        put("Deployment", f"{SERVER}.args[0]", "openai/gpt-oss120b"),
    ),
    On(FLAGS, "vllm-agg", "VllmWorker").fails(
        "words for numbers, a number that is missing, and a backend of attention that vLLM does not have",
        "--block-size is abc, and must be a whole number",
        "--stream-interval is without a value, and must be a whole number",
        add(GRAPH, f"{VLLM_MAIN}.args", "--block-size=abc"),
        add(GRAPH, f"{VLLM_MAIN}.args", "--stream_interval"),
        "--attention-backend is FLASHINFR, which dynamo.vllm 1.2 does not take; the nearest is FLASHINFER",
        add(GRAPH, f"{VLLM_MAIN}.args", "--attention-backend=FLASHINFR"),
    ),
    On(FLAGS, "vllm-agg", "VllmWorker").is_undecided(
        "a number in a variable that nothing here sets",
        "--block-size is $(BLOCK), and nothing that was read sets that variable",
        add(GRAPH, f"{VLLM_MAIN}.args", "--block-size=$(BLOCK)"),
    ),
    On(VALUES, "vllm-serve", "engine").fails(
        "slips in a connector and in a role, and another quantization than the checkpoint's",
        "is NixlConector, which its release of vLLM does not have; the nearest is NixlConnector",
        "kv_role in --kv-transfer-config is 'kv_bth', none of kv_both, kv_consumer, kv_producer",
        add("Deployment", f"{SERVER}.args", _transfer("NixlConector", "kv_bth")),
        "quantization fp8 (--quantization) is not what /opt/models/",
        "holds, mxfp4: vLLM refuses",
        add("Deployment", f"{SERVER}.args", "-q=fp8"),
    ),
    On(VALUES, "vllm-serve", "engine").fails(
        "slips in a connector and in a role, in a release that was not read",
        "kv_connector in --kv-transfer-config is NixlConector, which no vLLM has",
        "kv_role in --kv-transfer-config is 'kv_bth'",
        add("Deployment", f"{SERVER}.args", _transfer("NixlConector", "kv_bth")),
        put("Deployment", f"{SERVER}.image", "vllm/vllm-openai:v0.99.0"),
    ),
    *(
        On(VALUES, "vllm-serve").passes(name, add("Deployment", f"{SERVER}.args", argument))
        for name, argument in (
            ("a connector of a plugin", _transfer("OurConnector", "kv_both")),
            ("a connector by path", _transfer("NixlConector", "kv_both", kv_connector_module_path="ours")),
        )
    ),
    On("structured-output-without-draft-model", "vllm-serve", "engine").fails(
        "structured output set up beside a draft model",
        "a draft model (--speculative-config) and sets structured output up (--structured-outputs-config.",
        add("Deployment", f"{SERVER}.args", _DRAFT),
        add("Deployment", f"{SERVER}.args", "--structured-outputs-config.backend=xgrammar"),
    ),
    On("structured-output-without-draft-model", "vllm-serve").passes(
        "a draft model with parsers of tool calls", add("Deployment", f"{SERVER}.args", _DRAFT)
    ),
)
