"""vLLM as the rest of the project sees it, and which MoE backend runs gpt-oss' experts on which GPU.

Kernels for MXFP4: vllm 0.20.1 vllm/model_executor/layers/fused_moe/oracle/mxfp4.py.
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from pydantic import BaseModel

from engines.engine import Engine, ModelUse, WorkerRole, WorkerStart, written
from engines.memory import ExpertPadding
from engines.release import release_line
from engines.transport_setup import RDMA_PRIVILEGES, KvProfile, TransportWords
from engines.vllm.options import DEFAULT_MAX_NUM_BATCHED_TOKENS, NIXL, VllmOptions, VllmSettings
from hardware import ACCELERATORS, Accelerator, KvPath, Standing, efa_path
from hardware.source import DYNAMO_EFA_GUIDE

MXFP8_VARIABLE = "VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8"


@dataclass(frozen=True, slots=True)
class VllmMoeKernels:
    """Kernels that a flag or a variable asks for, and where they are."""

    activations: str
    where: str
    since: tuple[int, int]
    """The least compute capability that they run on."""
    before: tuple[int, int] = (99, 0)
    """The least one that they run on no more: 11.0 stands after B300 and GB300, and before the RTX cards."""

    def run_on(self, gpu: Accelerator) -> bool:
        """Whether they take the GPU; where they do not, the worker ends with a ValueError at start."""
        return self.since <= gpu.compute_capability < self.before


VLLM_BACKEND_KERNELS: Mapping[str, VllmMoeKernels] = {
    "flashinfer_trtllm": VllmMoeKernels("BF16", "B200, GB200, B300 and GB300", (10, 0), (11, 0)),
    "flashinfer_cutlass": VllmMoeKernels("BF16", "H100 and H200", (9, 0), (10, 0)),
    "triton": VllmMoeKernels("BF16", "Hopper and B200, GB200, B300, GB300", (9, 0), (11, 0)),
    "marlin": VllmMoeKernels("BF16", "Ampere and later", (8, 0)),
}
"""--moe-backend -> its kernels for MXFP4; of the others nothing says what they do with gpt-oss."""

VLLM_MOE_VARIABLES: Mapping[str, VllmMoeKernels] = {
    MXFP8_VARIABLE: VllmMoeKernels("MXFP8", "B200, GB200, B300 and GB300", (10, 0), (11, 0)),
    f"{MXFP8_VARIABLE}_CUTLASS": VllmMoeKernels("MXFP8", "Blackwell", (10, 0)),
    "VLLM_USE_FLASHINFER_MOE_MXFP4_BF16": VllmMoeKernels(
        "BF16", "H100, H200, B200, GB200, B300 and GB300", (9, 0), (11, 0)
    ),
    "VLLM_MXFP4_USE_MARLIN": VllmMoeKernels("BF16", "Ampere and later", (8, 0)),
}
"""Variable -> the kernels that it asks for; read only where --moe-backend is auto."""


def default_vllm_kernels(accelerator: Accelerator) -> str:
    """What vLLM takes where neither flag nor variable says."""
    first = ("flashinfer_trtllm", "triton")
    return next((name for name in first if VLLM_BACKEND_KERNELS[name].run_on(accelerator)), "marlin")


VLLM_KV_DTYPES = frozenset(
    {
        "auto",
        "float16",
        "bfloat16",
        "fp8",
        "fp8_e4m3",
        "fp8_e5m2",
        "fp8_inc",
        "fp8_ds_mla",
        "nvfp4",
        "int8_per_token_head",
        "fp8_per_token_head",
    }
)
"""Values of vLLM's --kv-cache-dtype beside the next family (vllm 0.20.1 vllm/config/cache.py, CacheDType)."""
VLLM_KV_DTYPE_FAMILY = "turboquant_"
VLLM_KV_DTYPE_LINES = frozenset((0, minor) for minor in (10, 11, 14, 19, 23, 31, 33))
"""Releases none of which takes int8, int4 or fp16 as such (vllm 0.10.2, 0.11.0, 0.14.0, 0.19.1,
0.23.0, 0.31.0 and 0.33.0 from PyPI, vllm/config/cache.py, CacheDType); later ones have further ones such as
int4_per_token_head."""


def vllm_padding(moe_backend: str) -> ExpertPadding:
    """Return what the kernels of a MoE backend pad the experts' matrices to.

    The matrices' alignment: vllm 0.20.1 vllm/model_executor/layers/quantization/mxfp4.py. The other kernels
    differ a little; a log of one of them lies within 2 % of this (vllm-project/vllm#33155: 64.38 GiB on one
    H100).
    """
    is_wide = moe_backend == "flashinfer_trtllm"
    return (
        ExpertPadding(first_hidden=256, second_hidden=256, intermediate=256) if is_wide else ExpertPadding()
    )


_FIRST_LINE_WITH_ACTIVATION_OPTION = (1, 4)
"""First release line whose vLLM is told the number format of activations by an option.

vllm 0.20.1 reads a variable, which 0.26.0 and 0.31.0 do not have any more; there the default is bfloat16
(vllm/envs.py; vllm/model_executor/layers/fused_moe/oracle/mxfp4.py; vllm/config/quantization.py). Dynamo's
recipe for 1.3.1 sets the variable.
"""
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

        Sizes: vllm/config/scheduler.py and vllm/config/model.py. Kernels: engines/vllm/engine.py.
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
