"""The format of the KV cache: known to the engine, equal in prefill and decode, tested on the GPU."""

from tests.rules.case import H100, On
from tests.rules.edits import add, engine_file, put, text
from tests.rules.names import REQUANTIZED, SERVER, SERVER_ARGS, VLLM_ARGS
from tests.rules.serving_edits import on_product

KNOWN = "kv-cache-dtype-known"
SAME = "prefill-and-decode-agree"

_FILE = "max_throughput.yaml"
_ON_H100 = on_product("NVIDIA-H100-80GB-HBM3")
_DTYPE = "kv_cache_config.dtype"

CASES = (
    On(SAME, "vllm-disagg-efa", "Prefill, Decode").fails(
        "the checkpoint's own format on one side, and directories that the handshake compares by name",
        "Prefill bfloat16 by auto (--kv-cache-dtype), Decode fp8 by fp8 (--kv-cache-dtype)",
        text("DynamoGraphDeployment", f"{VLLM_ARGS}[5]", "fp8", "auto"),
        "they load their models from different paths, which NixlConnector refuses to bring together: Prefill",
        put("DynamoGraphDeployment", f"{VLLM_ARGS}[0]", "--model=/opt/models/gpt-oss-120b"),
    ),
    On(SAME, "vllm-disagg-efa").passes(
        "two names of one format, and the repository of the other side's snapshot",
        text("DynamoGraphDeployment", f"{VLLM_ARGS}[5]", "fp8", "fp8_e4m3"),
        put("DynamoGraphDeployment", f"{VLLM_ARGS}[0]", "--model=openai/gpt-oss-120b"),
    ),
    On(SAME, "vllm-disagg-efa", "Prefill, Decode").is_undecided(
        "a path of a variable that nothing sets",
        "the model of Prefill is /opt/$(MODEL), and nothing that was read sets that variable",
        put("DynamoGraphDeployment", f"{VLLM_ARGS}[0]", "--model=/opt/$(MODEL)"),
    ),
    On(SAME, "vllm-disagg-efa", "Prefill, Decode").is_undecided(
        "a checkpoint that decides for prefill",
        "its checkpoint decides the format of the KV cache",
        text("DynamoGraphDeployment", f"{VLLM_ARGS}[5]", "fp8", "auto"),
        put("DynamoGraphDeployment", f"{VLLM_ARGS}[0]", f"--model={REQUANTIZED}"),
        text("DynamoGraphDeployment", f"{VLLM_ARGS}[3]", '"back', '"enforce_handshake_compat":false,"back'),
    ),
    On(SAME, "vllm-disagg-efa", "Prefill, Decode").fails(
        "another checkpoint on one side, which the handshake compares",
        "they load different models, which NixlConnector refuses to bring together",
        put("DynamoGraphDeployment", f"{VLLM_ARGS}[0]", f"--model={REQUANTIZED}"),
    ),
    On(SAME, "vllm-disagg-efa", "Prefill, Decode").is_undecided(
        "two directories, which nothing compares",
        "nothing says whether those hold one model: Prefill draft, Decode",
        put("DynamoGraphDeployment", f"{VLLM_ARGS}[0]", "--model=/opt/models/draft"),
        text("DynamoGraphDeployment", f"{VLLM_ARGS}[3]", '"back', '"enforce_handshake_compat":false,"back'),
    ),
    On(KNOWN, "trtllm-serve", "engine").fails(
        "a name that TensorRT-LLM calls auto",
        ("the KV cache is to be bfloat16 (max_throughput.yaml", "its engine takes auto, fp8, nvfp4"),
        engine_file(_FILE, _DTYPE, "bfloat16"),
    ),
    On(KNOWN, "vllm-serve", "engine").fails(
        "a value that vLLM's command line refuses",
        ("the KV cache is to be fp4 (--kv-cache-dtype)", "its engine takes auto, bfloat16, float16, fp8,"),
        add("Deployment", SERVER_ARGS, "--kv-cache-dtype=fp4"),
    ),
    *(
        On(KNOWN, "vllm-serve", "engine").is_undecided(
            f"{kv_format} in {image}, whose formats were not read",
            f"the KV cache is to be {kv_format} (--kv-cache-dtype), and its engine takes",
            put("Deployment", f"{SERVER}.image", image),
            add("Deployment", SERVER_ARGS, f"--kv-cache-dtype={kv_format}"),
        )
        for image, kv_format in (("acme/vllm:v0.11.0", "int8"), ("vllm/vllm-openai:v0.11.0", "fp6"))
    ),
    On(KNOWN, "vllm-serve", "engine").fails(
        "a format of other engines, in a release of vLLM's own image",
        "the KV cache is to be int8 (--kv-cache-dtype), which no vLLM takes: auto, or fp8 for 8 bits",
        put("Deployment", f"{SERVER}.image", "vllm/vllm-openai:v0.11.0"),
        add("Deployment", SERVER_ARGS, "--kv-cache-dtype=int8"),
    ),
    On(KNOWN, "trtllm-serve", "engine").advises(
        "8 bits on Hopper",
        ("keeps its KV cache in fp8", "on H100 (hopper", "NVIDIA tests gpt-oss with it on Blackwell alone"),
        _ON_H100,
        engine_file(_FILE, _DTYPE, "fp8"),
        pools=H100,
    ),
    On(KNOWN, "trtllm-serve").passes("8 bits on Blackwell", engine_file(_FILE, _DTYPE, "fp8")),
    On(KNOWN, "trtllm-serve").passes(
        "the checkpoint's own format on Hopper", _ON_H100, engine_file(_FILE, _DTYPE, "auto"), pools=H100
    ),
    On(KNOWN, "trtllm-serve").passes(
        "8 bits on Hopper, for another checkpoint",
        _ON_H100,
        engine_file(_FILE, _DTYPE, "fp8"),
        put("Deployment", f"{SERVER}.args[0]", REQUANTIZED),
        pools=H100,
    ),
)
