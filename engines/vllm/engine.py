"""vLLM as the rest of the project sees it, and what it is in the images of each line of Dynamo's runtime."""

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

from pydantic import BaseModel

from engines.command_options import STORE_KV, CommandWords
from engines.engine import Engine, ModelUse, WorkerStart
from engines.option_block import WorkerRole, written
from engines.release import ReleaseLine, release_line
from engines.transport_setup import RDMA_PRIVILEGES, KvProfile, TransportWords
from engines.vllm.kernels import VLLM_BACKEND_KERNELS, VLLM_MOE_VARIABLES, VllmMoeKernels
from engines.vllm.options import DEFAULT_MAX_NUM_BATCHED_TOKENS, NIXL, VllmOptions, VllmSettings
from hardware import ACCELERATORS, KvPath, Standing, efa_path
from hardware.source import DYNAMO_EFA_GUIDE

_FIRST_LINE_WITH_ACTIVATION_OPTION = (1, 4)
"""First release line whose vLLM is told the number format of activations by an option.

vllm 0.20.1 reads a variable, which 0.26.0 and 0.31.0 do not have any more; there the default is bfloat16
(vllm/envs.py; vllm/model_executor/layers/fused_moe/oracle/mxfp4.py; vllm/config/quantization.py). Dynamo's
recipe for 1.3.1 sets the variable.
"""
MXFP8_VARIABLE = "VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8"
_MXFP8_OPTION = {"quantization_config": {"moe": {"activation": "mxfp8"}}}
_STRUCTURED_OUTPUT = "structured_outputs_config"
_SIDE_CHANNEL_PORT = 5600
"""Port on which workers exchange what NIXL needs to reach each other (vllm 0.20.1 vllm/envs.py)."""
_PORTS_OF_A_WORKER = 100
"""Each rank of data parallelism takes the next one."""


class Vllm(Engine[VllmOptions]):
    """vLLM; each method is documented at its base.

    The others hold for it as they are there: every option is a flag, its connector copies between the caches
    themselves, and dynamo.vllm hands no wait for transfers to the runtime's shutdown (PyPI package
    ai-dynamo 1.2.1).
    """

    name: str = "vLLM"
    backend_framework: str = "vllm"
    options: type[VllmOptions] = VllmOptions
    settings: type[BaseModel] = VllmSettings
    variables: frozenset[str] = frozenset({MXFP8_VARIABLE, "MODEL_PATH"})
    length_option: str = "max_model_len"
    block_option: str = "block_size"
    transfer_words: str = f"kv_transfer_config with kv_connector {NIXL}"
    transport_option: str = "kv_transfer_config.kv_connector_extra_config.backends"
    transports: TransportWords = TransportWords(
        # ai-dynamo/dynamo recipes/inkling/vllm/disagg-gb300-agentic at 472ac24, which shares the host's IPC
        # namespace as well; fabric handles need none (openucx/ucx#11514).
        mnnvl="UCX",
        mnnvl_environment={
            "UCX_TLS": "cuda_copy,cuda_ipc,tcp",
            "UCX_CUDA_IPC_ENABLE_MNNVL": "y",
            "UCX_MEMTYPE_CACHE": "n",
        },
        mnnvl_privileges=RDMA_PRIVILEGES,
        efa="LIBFABRIC",
    )
    efa: KvPath = efa_path(
        Standing.DOCUMENTED,
        "NVIDIA's EFA guide runs vLLM with NIXL over libfabric on EKS",
        DYNAMO_EFA_GUIDE,
        lifted_by="more EFA interfaces in a pod (more GPUs)",
    )

    def command_line(self, options: VllmSettings, start: WorkerStart) -> str:
        """`python3 -m dynamo.vllm`; MODEL_PATH comes from its environment."""
        mode = [] if start.role == "worker" else ["--disaggregation-mode", start.role]
        activations = _MXFP8_OPTION if _mxfp8_by(start) == "option" else {}
        flags = {**written(options), **activations}
        if options.speculative_config is not None:
            # Named by its directory: offline a repository at a revision is not found by its name.
            directory = start.draft_directories[options.speculative_config.model]
            flags["speculative_config"] = {**written(options.speculative_config), "model": directory}
        words = [word for name, value in flags.items() for word in _flag(name, value)]
        return " ".join(
            [
                "python3 -m dynamo.vllm",
                '--model "$MODEL_PATH"',
                f'--served-model-name "{start.served_name}"',
                shlex.join([*mode, *words, *start.arguments]),
            ]
        )

    def environment(self, start: WorkerStart) -> dict[str, str]:
        """Where the model is, and the number format of the experts' activations."""
        mxfp8 = {MXFP8_VARIABLE: "1"} if _mxfp8_by(start) == "variable" else {}
        return {"MODEL_PATH": start.model_path, **mxfp8}

    def port_environment(self, index: int) -> dict[str, str]:
        """The port on which NIXL's agents find each other."""
        return {"VLLM_NIXL_SIDE_CHANNEL_PORT": str(_SIDE_CHANNEL_PORT + index * _PORTS_OF_A_WORKER)}

    def with_transport(self, options: VllmOptions, profile: KvProfile) -> VllmOptions:
        """The options with the transport's NIXL backend."""
        transfer = options.kv_transfer_config
        if transfer is None or transfer.kv_connector != NIXL:
            return options
        details = {**(transfer.kv_connector_extra_config or {}), "backends": [profile.backend]}
        chosen = transfer.model_copy(update={"kv_connector_extra_config": details})
        return options.model_copy(update={"kv_transfer_config": chosen})

    def refusals(self, options: VllmOptions, use: ModelUse) -> Iterator[str]:
        """What vLLM 0.20.1 to 0.31.0 refuses for gpt-oss, or answers wrongly.

        Sizes: vllm/config/scheduler.py and vllm/config/model.py. Kernels: engines/vllm/kernels.py.
        """
        yield from _unfit_sizes(options, use)
        yield from _unfit_kernels(options, use)
        if options.draft_model is not None and _STRUCTURED_OUTPUT in options.extra:
            # ai-dynamo/dynamo recipes/gpt-oss-120b/README.md at 0e72f06; vllm-project/vllm#27969, #47025.
            yield (
                f"{_STRUCTURED_OUTPUT} with speculative_config: structured output may be no JSON while a "
                "draft model proposes tokens, and the engine may crash: leave one of them out"
            )

    def contradictions(self, roles: Mapping[WorkerRole, VllmOptions], use: ModelUse) -> Iterator[str]:
        """Also draft models that differ: their layers have KV cache too, which is handed over."""
        yield from super().contradictions(roles, use)
        if len({options.draft_model for options in roles.values()}) > 1:
            yield "prefill and decode workers must name the same speculative_config.model, or none"


COMMANDS: Mapping[str, CommandWords] = {
    "dynamo.vllm": CommandWords(
        removed={"--connector": "write --kv-transfer-config with a kv_connector", **STORE_KV},
        deprecated={
            "--is-prefill-worker": "write --disaggregation-mode prefill",
            "--is-decode-worker": "write --disaggregation-mode decode",
        },
        disaggregation_modes={
            (1, 0): ("agg", "prefill", "decode"),
            (1, 1): ("agg", "prefill", "decode", "encode"),
            (1, 3): ("agg", "pd", "prefill", "decode", "encode"),
        },
    )
}
"""Command -> its words."""

OWN_RELEASES: Mapping[str, ReleaseLine] = {
    "0.20": (1, 2),
    "0.23": (1, 3),
    "0.26": (1, 4),
    "0.28": (1, 5),
    "0.31": (1, 6),
}
"""Release of the engine's own image -> the line of Dynamo with the same engine."""


def _mxfp8_by(start: WorkerStart) -> Literal["option", "variable"] | None:
    """What tells the worker to take activations in MXFP8; None where they are not asked for."""
    if start.algorithm != "W4A8_MXFP4_MXFP8":
        return None
    has_option = release_line(start.runtime_version) >= _FIRST_LINE_WITH_ACTIVATION_OPTION
    return "option" if has_option else "variable"


def _flag(name: str, value: Any) -> Iterator[str]:
    dashed = name.replace("_", "-")
    match value:
        case bool():
            yield f"--{dashed}" if value else f"--no-{dashed}"
        case Mapping():
            yield from (f"--{dashed}", json.dumps(value, separators=(",", ":"), default=dict))
        case list():
            yield from (f"--{dashed}", *(str(item) for item in cast("list[object]", value)))
        case _:
            yield from (f"--{dashed}", str(value))


def _unfit_sizes(options: VllmOptions, use: ModelUse) -> Iterator[str]:
    positions = use.shape.max_positions
    length = options.effective_max_seq_len(positions)
    if length > positions:
        yield f"max_model_len {length} exceeds the {positions} positions of the model: vLLM ends at start"
    step = options.max_num_batched_tokens or DEFAULT_MAX_NUM_BATCHED_TOKENS
    if options.enable_chunked_prefill is False and step < length:
        yield (
            f"max_num_batched_tokens {step} is less than max_model_len {length} with enable_chunked_prefill "
            "false: vLLM ends at start; raise it, or leave enable_chunked_prefill out"
        )
    ranks = options.tensor_parallel_size * options.data_parallel_size
    if options.enable_expert_parallel and use.shape.experts % ranks:
        yield f"enable_expert_parallel: {ranks} GPUs must divide the model's {use.shape.experts} experts"


def _unfit_kernels(options: VllmOptions, use: ModelUse) -> Iterator[str]:
    backend = options.moe_backend or "auto"
    if use.algorithm == "W4A8_MXFP4_FP8":
        yield "vLLM has no W4A8_MXFP4_FP8: write W4A8_MXFP4_MXFP8 or W4A16_MXFP4"
    if use.algorithm == "W4A8_MXFP4_MXFP8":
        kernels = VLLM_MOE_VARIABLES[MXFP8_VARIABLE]
        yield from _without("quantization.algorithm W4A8_MXFP4_MXFP8", kernels, use, "write W4A16_MXFP4")
        if backend != "auto":
            # vLLM 0.20 reads the variable of the algorithm only where the backend is auto.
            yield (
                f"moe_backend {backend} takes the experts' activations in BF16, whatever "
                "quantization.algorithm says: leave one of them out"
            )
    if kernels := VLLM_BACKEND_KERNELS.get(backend):
        yield from _without(f"moe_backend {backend}", kernels, use, "leave it out")


def _without(setting: str, kernels: VllmMoeKernels, use: ModelUse, instead: str) -> Iterator[str]:
    fitting = (gpu for gpu in ACCELERATORS.values() if gpu.architecture_family in use.families)
    without = [gpu.name for gpu in fitting if not kernels.run_on(gpu)]
    if without:
        yield (
            f"{setting} has its kernels on {kernels.where}, not on {', '.join(without)}: {instead}, or "
            "name other architectureFamilies"
        )
