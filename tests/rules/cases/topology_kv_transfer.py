"""Whether prefill and decode are set up to hand KV cache over, and by the same library."""

from tests.rules.case import On
from tests.rules.edits import add, drop, engine_file, put, text
from tests.rules.kv_edits import BASE, DECODE, DGD, PREFILL, connector, main
from tests.rules.serving_edits import runtime

CONFIGURED = "cache-transceiver-configured"
AGREES = "prefill-and-decode-agree"

TRTLLM_PREFILL, TRTLLM_DECODE = "TrtllmPrefillWorker", "TrtllmDecodeWorker"
_BACKEND = "cache_transceiver_config.backend"
_VLLM = "nvcr.io/nvidia/ai-dynamo/vllm-runtime"
_OLD_WORDS = (drop(DGD, main(PREFILL, "args[3]")), put(DGD, main(PREFILL, "args[2]"), "--is-prefill-worker"))

CASES = (
    On(CONFIGURED, "disagg-gb200", TRTLLM_PREFILL, TRTLLM_DECODE).fails(
        "no backend, and one in lower case",
        "is a prefill worker without cache_transceiver_config.backend, so its engine transfers no",
        engine_file("prefill.yaml", _BACKEND, remove=True),
        runtime(TRTLLM_PREFILL, "1.0.0"),
        "has cache_transceiver_config.backend 'ucx' (decode.yaml of ConfigMap",
        "not one of DEFAULT, UCX, NIXL, MOONCAKE, MPI, in upper case",
        engine_file("decode.yaml", _BACKEND, "ucx"),
    ),
    On(CONFIGURED, "disagg-gb200", TRTLLM_PREFILL).is_undecided(
        "no backend, in a release that was not read",
        "that was read in 1.0, and its image is older",
        engine_file("prefill.yaml", _BACKEND, remove=True),
        runtime(TRTLLM_PREFILL, "0.9.1"),
    ),
    On(CONFIGURED, BASE, "Prefill").fails(
        "vLLM's prefill without a connector",
        "is a prefill worker without --kv-transfer-config, so it ends at start",
        drop(DGD, main(PREFILL, "args[3]")),
        put(DGD, main(PREFILL, "image"), f"{_VLLM}:my-tag"),
    ),
    On(CONFIGURED, BASE, "Prefill").fails(
        "vLLM's prefill without a connector, in a build that must be new, as a variable tells it to prefill",
        "is a prefill worker without --kv-transfer-config, so it ends at start",
        drop(DGD, main(PREFILL, "args[3]")),
        drop(DGD, main(PREFILL, "args[2]")),
        add(DGD, main(PREFILL, "env"), {"name": "DYN_VLLM_DISAGGREGATION_MODE", "value": "prefill"}),
        put(DGD, main(PREFILL, "image"), f"{_VLLM}:my-tag"),
    ),
    On(CONFIGURED, BASE).passes(
        "vLLM's prefill without a connector, in a release that takes NIXL by itself",
        _OLD_WORDS,
        put(DGD, main(PREFILL, "image"), f"{_VLLM}:0.9.1-efa"),
    ),
    On(CONFIGURED, BASE, "Prefill").is_undecided(
        "vLLM's prefill without a connector, in a release that is not told",
        "vllm-runtime:my-tag does not say of which release it is",
        _OLD_WORDS,
        put(DGD, main(PREFILL, "image"), f"{_VLLM}:my-tag"),
    ),
    On(AGREES, BASE).passes(
        "a connector that holds the one of the other side",
        connector(
            PREFILL,
            config='{"kv_connector":"PdConnector","kv_role":"kv_both","kv_connector_extra_config":'
            '{"connectors":[{"kv_connector":"DynamoConnector"},{"kv_connector":"NixlConnector",'
            '"kv_connector_extra_config":{"backends":["LIBFABRIC"]}}]}}',
        ),
    ),
    On(AGREES, "disagg-b200", f"{TRTLLM_PREFILL}, {TRTLLM_DECODE}").advises(
        "UCX there and NIXL here, in runtimes of two releases",
        "TrtllmPrefillWorker hands KV cache over by TensorRT-LLM's UCX, but TrtllmDecodeWorker takes it "
        "by TensorRT-LLM's NIXL",
        engine_file("decode.yaml", _BACKEND, "NIXL"),
        "their runtimes are of different release lines: TrtllmPrefillWorker 1.2, TrtllmDecodeWorker 1.3",
        runtime(TRTLLM_DECODE, "1.3.1"),
    ),
    On(AGREES, BASE, "Prefill, Decode").advises(
        "NIXL's own library and no connector, and a draft model on one side",
        "Prefill hands KV cache over by NixlConnector (UCX), but Decode takes it by no connector",
        connector(PREFILL, config='{"kv_connector":"NixlConnector","kv_role":"kv_both"}'),
        drop(DGD, main(DECODE, "args[3]")),
        "a draft model (--speculative-config) is given to Prefill and not to Decode",
        add(DGD, main(PREFILL, "args"), '--speculative-config={"method":"eagle3","model":"nvidia/draft"}'),
    ),
    On(AGREES, BASE, "Prefill, Decode").advises(
        "another connector",
        "KV cache over by NixlConnector (LIBFABRIC), but Decode takes it by MooncakeConnector",
        connector(DECODE, config='{"kv_connector":"MooncakeConnector","kv_role":"kv_consumer"}'),
    ),
    On(AGREES, BASE, "Prefill", "Decode").advises(
        "roles the wrong way round",
        "prefill worker with kv_role kv_consumer in --kv-transfer-config; of use are kv_both and kv_producer",
        "is a decode worker with kv_role kv_producer",
        text(DGD, main(PREFILL, "args[3]"), "kv_both", "kv_consumer"),
        text(DGD, main(DECODE, "args[3]"), "kv_both", "kv_producer"),
    ),
)
