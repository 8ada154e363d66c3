"""TensorRT-LLM as the rest of the project sees it."""

import shlex
from collections.abc import Iterator, Mapping
from typing import cast

import yaml
from pydantic import BaseModel

from engines.engine import PORT, Engine, ModelUse, WorkerRole, WorkerStart, whose, written
from engines.models import default_algorithm
from engines.release import Workaround, release_line
from engines.tensorrt_llm.kernels import default_moe_backend, moe_support
from engines.tensorrt_llm.options import (
    BACKENDS_WITH_FIXED_BUFFERS,
    EngineSettings,
    TensorRtLlmOptions,
    TransceiverBackend,
)
from engines.transport_setup import KvProfile, TransportWords
from hardware import ACCELERATORS, InstanceType, KvPath, Standing, efa_path
from hardware.source import AWSOME_INFERENCE_EFA

OLDER_NAMES: Mapping[tuple[int, int], Mapping[str, str]] = {
    (1, 2): {"--publish-kv-events": "--publish-events-and-metrics"}
}
"""Release line -> option as later lines call it -> as this one does.

PyPI packages ai-dynamo 1.2.1, 1.3.1, 1.4.2 and 1.6.1, dynamo/trtllm/backend_args.py: one setting until 1.5;
from 1.6 on --publish-metrics is an option of its own.
"""

DEEP_EP_CRASH_LINE = (1, 2)
"""Release line of Dynamo whose TensorRT-LLM has the defect that `WITHOUT_DEEP_EP` avoids."""
DEEP_EP_CRASH_ACCELERATOR = "GB200"

WITHOUT_DEEP_EP = Workaround(
    "TRTLLM_FORCE_COMM_METHOD",
    "ALLGATHER",
    "with attention data parallelism the engine of release 1.2 picks DeepEP on GB200 and stops with an "
    "illegal memory access",
    "ai-dynamo/dynamo#9914",
)
DEEP_EP_OFF = Workaround(
    "TRTLLM_CAN_USE_DEEP_EP",
    "0",
    "where a rank may not open its neighbours' GPU memory, the engine of release 1.2 takes DeepEP, which "
    "stops on GB200, before all-gather; where it may, nothing changes",
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe/communication at 03c36d6",
)
"""On every other GPU: `WITHOUT_DEEP_EP` would forbid the ways over NVLink too, which work there."""


class TensorRtLlm(Engine[TensorRtLlmOptions]):
    """TensorRT-LLM; each method is documented at its base."""

    name: str = "TensorRT-LLM"
    backend_framework: str = "trtllm"
    options: type[TensorRtLlmOptions] = TensorRtLlmOptions
    settings: type[BaseModel] = EngineSettings
    variables: frozenset[str] = frozenset(
        {"OVERRIDE_QUANT_ALGO", "SERVED_MODEL_NAME", "ENGINE_ARGS", "MODEL_PATH"}
    )
    length_option: str = "max_seq_len"
    block_option: str = "tokens_per_block"
    transfer_words: str = "cache_transceiver_config"
    transport_option: str = "cache_transceiver_config.backend"
    transports: TransportWords = TransportWords(
        # ai-dynamo/dynamo recipes/deepseek-r1/trtllm/disagg/wide_ep/gb200/deploy.yaml at 09783f6. It takes
        # no privilege: the compute domain's claim brings the device of the IMEX channel.
        mnnvl="DEFAULT",
        mnnvl_environment={
            "NCCL_MNNVL_ENABLE": "1",
            "NCCL_CUMEM_ENABLE": "1",
            "UCX_CUDA_IPC_ENABLE_MNNVL": "y",
        },
        efa="NIXL",
        efa_environment={"TRTLLM_NIXL_KVCACHE_BACKEND": "LIBFABRIC"},
    )
    efa: KvPath = efa_path(
        Standing.UNPROVEN,
        "nobody has published TensorRT-LLM serving over EFA: the one proof is a handshake between two p5 "
        "nodes with a custom image, and NVIDIA's documents disagree on libfabric or UCX",
        AWSOME_INFERENCE_EFA,
        lifted_by="completed requests on two nodes with `Backend LIBFABRIC was instantiated` in the workers' "
        "logs and an rdma_read_bytes counter that grows; or vLLM, for which EFA is documented",
    )

    # Until it is idle (PyPI package ai-dynamo 1.2.1, dynamo/trtllm/main.py, _DRAIN_TIMEOUT_S).
    transfers_seconds: int = 30

    def command_line(self, options: TensorRtLlmOptions, start: WorkerStart) -> str:  # noqa: ARG002 - in the file
        """`python3 -m dynamo.trtllm`; MODEL_PATH and ENGINE_ARGS come from its environment.

        The engine file wins over flags, so nothing that is in the file is repeated as a flag.
        """
        older = OLDER_NAMES.get(release_line(start.runtime_version), {})
        # An aggregated worker runs in the flag's default, prefill_and_decode; `agg`, the default of later
        # releases, is refused by 1.2.
        mode = [] if start.role == "worker" else ["--disaggregation-mode", start.role]
        return " ".join(
            [
                "python3 -m dynamo.trtllm",
                '--model-path "$MODEL_PATH"',
                f'--served-model-name "{start.served_name}"',
                '--extra-engine-args "$ENGINE_ARGS"',
                *mode,
                *(shlex.quote(older.get(word, word)) for word in start.arguments),
            ]
        )

    def environment(self, start: WorkerStart) -> dict[str, str]:
        """What the command line names, and the number format of the experts."""
        return {
            **algorithm_environment(start.algorithm),
            "SERVED_MODEL_NAME": start.served_name,
            "ENGINE_ARGS": start.engine_file_path,
            "MODEL_PATH": start.model_path,
        }

    def engine_file(self, options: EngineSettings) -> str:
        """The file of --extra-engine-args, as YAML with sorted keys.

        The ConfigMap's name is derived from this text: an order that depended on the interpreter would
        restart every worker.
        """
        content = written(options)
        # Absent and null differ for this alone: absent is the engine's default, null is off.
        if "cuda_graph_config" in options.model_fields_set:
            content.setdefault("cuda_graph_config", None)
        return yaml.safe_dump(content, sort_keys=True, default_flow_style=False)

    def with_transport(self, options: TensorRtLlmOptions, profile: KvProfile) -> TensorRtLlmOptions:
        """The options with the transport's transceiver."""
        configured = options.cache_transceiver_config
        if configured is None:
            return options
        # A backend that does not fit its transport carries blocks over TCP without a word.
        changed = configured.model_copy(update={"backend": profile.backend})
        return options.model_copy(update={"cache_transceiver_config": changed})

    def short_buffer(
        self, options: TensorRtLlmOptions, profile: KvProfile, prompt_tokens: int
    ) -> tuple[str, int, int] | None:
        """The transceiver's buffer, where its backend does not grow it."""
        # UCX and MPI allocate another buffer for a longer prompt, so for them no size is too small.
        configured = options.cache_transceiver_config
        tokens = configured.max_tokens_in_buffer if configured else None
        is_fixed = cast("TransceiverBackend", profile.backend) in BACKENDS_WITH_FIXED_BUFFERS
        if not is_fixed or tokens is None or tokens >= prompt_tokens:
            return None
        block = options.tokens_per_block
        return "cache_transceiver_config.max_tokens_in_buffer", tokens, -(-prompt_tokens // block) * block

    def known_defects(
        self,
        options: TensorRtLlmOptions,
        *,
        instance_type: InstanceType,
        runtime_version: str,
        has_imex_channel: bool,
    ) -> tuple[Workaround, ...]:
        """DeepEP between ranks, and NCCL over an NVLink that the pod has no channel to."""
        others = super().known_defects(
            options,
            instance_type=instance_type,
            runtime_version=runtime_version,
            has_imex_channel=has_imex_channel,
        )
        has_ranks = options.enable_attention_dp and options.tensor_parallel_size > 1
        if not has_ranks or release_line(runtime_version) != DEEP_EP_CRASH_LINE:
            return others
        is_hit = instance_type.accelerator.name == DEEP_EP_CRASH_ACCELERATOR
        return (WITHOUT_DEEP_EP if is_hit else DEEP_EP_OFF, *others)

    def refusals(self, options: TensorRtLlmOptions, use: ModelUse) -> Iterator[str]:
        """What TensorRT-LLM 1.3.0rc14 refuses for gpt-oss, at start and after the model was loaded.

        tensorrt_llm/_torch/models/modeling_gpt_oss.py; kernels of the experts: kernels.py.
        """
        if options.pipeline_parallel_size != 1:
            yield f"pipeline_parallel_size {options.pipeline_parallel_size}: gpt-oss runs with 1 only"
        parallel = options.moe_expert_parallel_size
        if use.shape.experts % parallel:
            yield f"moe_expert_parallel_size {parallel} must divide the model's {use.shape.experts} experts"
        yield from dict.fromkeys(_unfit_kernels(options, use))

    def contradictions(self, roles: Mapping[WorkerRole, TensorRtLlmOptions], use: ModelUse) -> Iterator[str]:
        """Also prompts that the batch of one step has no room for."""
        yield from super().contradictions(roles, use)
        for role, options in roles.items():
            longest = options.longest_prompt(use.shape.max_positions)
            if role != "decode" and use.prompt_tokens > longest:
                yield (
                    f"prompts of {use.prompt_tokens} tokens exceed the {longest} tokens that the "
                    f"{whose(role)} admits: raise max_num_tokens or max_seq_len, or write "
                    "enable_chunked_prefill: true"
                )


# The image's user is root, without a home that another user may write. Caches of the hub, of Triton and of
# Python's own lie below it.
_HOME = "/tmp/home"  # noqa: S108 - a directory of the container's own


class TrtllmServe(TensorRtLlm):
    """The engine behind `trtllm-serve`, the server that it brings along, which needs nothing of Dynamo.

    Options and paths: NVIDIA/TensorRT-LLM tensorrt_llm/commands/serve.py in three versions around 1.3.0rc14
    (keys.py here). It reads harmony, the format of gpt-oss' answers, by itself, without the parsers that
    workers of Dynamo are given.
    """

    framework: str = "tensorrt-llm"
    """Name of the engine, a key of ENGINES."""
    ready_path: str = "/health"
    """Answers 200 once requests are served, and not before: it listens after the model is loaded."""
    metrics_path: str = "/prometheus/metrics"
    """Metrics in Prometheus' words."""

    dynamo_releases: Mapping[str, str] = {
        "1.3.0rc14": "1.2.1",
        "1.3.0rc19": "1.3.1",
        "1.3.0rc22": "1.4.2",
        "1.3.0rc25": "1.5.1",
    }
    """Version of its image -> release of Dynamo's runtime with the same engine: defects are known by it.

    Pins of the PyPI packages ai-dynamo of these releases.
    """

    def command_line(self, options: TensorRtLlmOptions, start: WorkerStart) -> str:  # noqa: ARG002 - in the file
        """Every engine option stands in the file: which of file and flag wins differs between releases."""
        return shlex.join(
            [
                "trtllm-serve",
                start.model_path,
                "--host",
                "0.0.0.0",  # noqa: S104 - the pod's network namespace
                "--port",
                str(PORT),
                "--backend",
                "pytorch",
                "--served_model_name",
                start.served_name,
                "--extra_llm_api_options",
                start.engine_file_path,
            ]
        )

    def environment(self, start: WorkerStart) -> dict[str, str]:
        """A home that the pod's user may write, and the number format of the experts."""
        return {
            **algorithm_environment(start.algorithm),
            "HOME": _HOME,
            "TRITON_CACHE_DIR": f"{_HOME}/.triton",
        }


def algorithm_environment(algorithm: str | None) -> dict[str, str]:
    """Return the variable that names the number formats of the experts; none for the engine's default."""
    # For an MXFP4 checkpoint Blackwell's own default; named so that a new default changes nothing.
    return {} if algorithm is None else {"OVERRIDE_QUANT_ALGO": algorithm}


def _unfit_kernels(options: TensorRtLlmOptions, use: ModelUse) -> Iterator[str]:
    """What the experts' kernels refuse of each GPU on which the recipe may run."""
    chosen = (options.moe_config.backend if options.moe_config else None) or "AUTO"
    for gpu in (each for each in ACCELERATORS.values() if each.architecture_family in use.families):
        backend = default_moe_backend(gpu) if chosen == "AUTO" else chosen
        algorithm = use.algorithm or default_algorithm(gpu, backend)
        support = moe_support(backend, algorithm, gpu, expert_parallel_size=options.moe_expert_parallel_size)
        if support.stops:
            given = f"moe_config.backend {chosen} with {algorithm}"
            yield f"{given} on {gpu.architecture_family}: {support.reason}"
