"""TensorRT-LLM as the rest of the project sees it."""

from collections.abc import Iterator, Mapping
from typing import cast

from pydantic import BaseModel

from engines.engine import ModelUse, ShortBuffer, WorkerStart
from engines.option_block import WorkerRole
from engines.release import WITHOUT_MNNVL_IN_NCCL, Workaround, release_line
from engines.tensorrt_llm import command, kv_profiles
from engines.tensorrt_llm import refusals as judged
from engines.tensorrt_llm.blocks import BACKENDS_WITH_FIXED_BUFFERS, TransceiverBackend
from engines.tensorrt_llm.on_lines import (
    DEEP_EP_CRASH_ACCELERATOR,
    DEEP_EP_CRASH_LINE,
    DEEP_EP_OFF,
    WITHOUT_DEEP_EP,
)
from engines.tensorrt_llm.options import EngineSettings, TensorRtLlmOptions
from engines.transport_setup import KvProfile
from hardware import EfaEvidence, InstanceType, KvTransportName

_PREFILL_TRANSFERS_SECONDS = 30
"""At most (PyPI package ai-dynamo 1.2.1, dynamo/trtllm/main.py, _DRAIN_TIMEOUT_S)."""


class TensorRtLlm:
    """The engine protocol for TensorRT-LLM; each method is documented there."""

    name: str = "TensorRT-LLM"
    backend_framework: str = "trtllm"
    options: type[TensorRtLlmOptions] = TensorRtLlmOptions
    settings: type[BaseModel] = EngineSettings
    variables: frozenset[str] = frozenset(
        {"OVERRIDE_QUANT_ALGO", "SERVED_MODEL_NAME", "ENGINE_ARGS", "MODEL_PATH"}
    )
    transport_option: str = "cache_transceiver_config.backend"
    efa: EfaEvidence = kv_profiles.EFA

    def command_line(self, options: TensorRtLlmOptions, start: WorkerStart) -> str:  # noqa: ARG002 - in the file
        """`python3 -m dynamo.trtllm` with its flags."""
        return command.command_line(start)

    def environment(self, start: WorkerStart) -> dict[str, str]:
        """What the command line names, and the number format of the experts."""
        return command.environment(start)

    def port_environment(self, index: int) -> dict[str, str]:  # noqa: ARG002
        """None: it listens at ports that the system gives it."""
        return {}

    def transfers_seconds(self, role: WorkerRole) -> int:
        """Of a prefill worker, which waits until it is idle."""
        return _PREFILL_TRANSFERS_SECONDS if role == "prefill" else 0

    def engine_file(self, options: TensorRtLlmOptions) -> str:
        """The file of --extra-engine-args."""
        return command.engine_file(options)

    def kv_profile(
        self, transport: KvTransportName, *, instance_type: InstanceType, runtime_version: str, roce: bool
    ) -> KvProfile:
        """Image, transceiver backend, environment and privileges for the transport."""
        return kv_profiles.kv_profile(
            transport, instance_type=instance_type, runtime_version=runtime_version, roce=roce
        )

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
    ) -> ShortBuffer | None:
        """The transceiver's buffer, where its backend does not grow it."""
        # UCX and MPI allocate another buffer for a longer prompt, so for them no size is too small.
        configured = options.cache_transceiver_config
        tokens = configured.max_tokens_in_buffer if configured else None
        is_fixed = cast("TransceiverBackend", profile.backend) in BACKENDS_WITH_FIXED_BUFFERS
        if not is_fixed or tokens is None or tokens >= prompt_tokens:
            return None
        block = options.tokens_per_block
        option = "cache_transceiver_config.max_tokens_in_buffer"
        return ShortBuffer(option, tokens, -(-prompt_tokens // block) * block)

    def known_defects(
        self,
        options: TensorRtLlmOptions,
        *,
        instance_type: InstanceType,
        runtime_version: str,
        has_imex_channel: bool,
    ) -> tuple[Workaround, ...]:
        """DeepEP between ranks, and NCCL over an NVLink that the pod has no channel to."""
        found: list[Workaround] = []
        has_ranks = options.enable_attention_dp and options.tensor_parallel_size > 1
        if has_ranks and release_line(runtime_version) == DEEP_EP_CRASH_LINE:
            is_hit = instance_type.accelerator.name == DEEP_EP_CRASH_ACCELERATOR
            found.append(WITHOUT_DEEP_EP if is_hit else DEEP_EP_OFF)
        if instance_type.nvlink_crosses_nodes and not has_imex_channel:
            found.append(WITHOUT_MNNVL_IN_NCCL)
        return tuple(found)

    def refusals(self, options: TensorRtLlmOptions, use: ModelUse) -> Iterator[str]:
        """Parallel sizes and MoE kernels."""
        return judged.refusals(options, use)

    def contradictions(self, roles: Mapping[WorkerRole, TensorRtLlmOptions], use: ModelUse) -> Iterator[str]:
        """Lengths of prompts and answers, and transceivers that do not meet."""
        return judged.contradictions(roles, use)
