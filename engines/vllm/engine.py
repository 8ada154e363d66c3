"""vLLM as the rest of the project sees it, and what it is in the images of each line of Dynamo's runtime."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pydantic import BaseModel

from engines.engine import ModelUse, ShortBuffer, WorkerStart
from engines.option_block import WorkerRole
from engines.release import WHEELS, WITHOUT_MNNVL_IN_NCCL, EngineOnLine, Sourced, Workaround
from engines.transport_setup import KvProfile
from engines.vllm import command, kv_profiles
from engines.vllm import refusals as judged
from engines.vllm.options import NIXL, VllmOptions, VllmSettings
from hardware import EfaEvidence, InstanceType, KvTransportName


class Vllm:
    """The engine protocol for vLLM; each method is documented there."""

    name: str = "vLLM"
    backend_framework: str = "vllm"
    options: type[VllmOptions] = VllmOptions
    settings: type[BaseModel] = VllmSettings
    variables: frozenset[str] = frozenset({command.MXFP8_VARIABLE, "MODEL_PATH"})
    transport_option: str = "kv_transfer_config.kv_connector_extra_config.backends"
    efa: EfaEvidence = kv_profiles.EFA

    def command_line(self, options: VllmOptions, start: WorkerStart) -> str:
        """`python3 -m dynamo.vllm` with its flags."""
        return command.command_line(options, start)

    def environment(self, start: WorkerStart) -> dict[str, str]:
        """Where the model is, and the number format of the experts' activations."""
        return command.environment(start)

    def port_environment(self, index: int) -> dict[str, str]:
        """The port on which NIXL's agents find each other."""
        return kv_profiles.port_environment(index)

    def transfers_seconds(self, role: WorkerRole) -> int:  # noqa: ARG002 - of every role
        """None: dynamo.vllm hands no such wait to the runtime's shutdown (PyPI package ai-dynamo 1.2.1)."""
        return 0

    def engine_file(self, options: VllmOptions) -> None:  # noqa: ARG002 - every option is a flag
        """None: every option is a flag."""
        return

    def kv_profile(
        self, transport: KvTransportName, *, instance_type: InstanceType, runtime_version: str, roce: bool
    ) -> KvProfile:
        """Image, NIXL backend, environment and privileges for the transport."""
        return kv_profiles.kv_profile(
            transport, instance_type=instance_type, runtime_version=runtime_version, roce=roce
        )

    def with_transport(self, options: VllmOptions, profile: KvProfile) -> VllmOptions:
        """The options with the transport's NIXL backend."""
        transfer = options.kv_transfer_config
        if transfer is None or transfer.kv_connector != NIXL:
            return options
        details = {**(transfer.kv_connector_extra_config or {}), "backends": [profile.backend]}
        chosen = transfer.model_copy(update={"kv_connector_extra_config": details})
        return options.model_copy(update={"kv_transfer_config": chosen})

    def short_buffer(
        self,
        options: VllmOptions,  # noqa: ARG002
        profile: KvProfile,  # noqa: ARG002
        prompt_tokens: int,  # noqa: ARG002
    ) -> ShortBuffer | None:
        """None: its connector copies between the caches themselves."""
        return None

    def known_defects(
        self,
        options: VllmOptions,  # noqa: ARG002
        *,
        instance_type: InstanceType,
        runtime_version: str,  # noqa: ARG002
        has_imex_channel: bool,
    ) -> tuple[Workaround, ...]:
        """NCCL over an NVLink that the pod has no channel to."""
        if instance_type.nvlink_crosses_nodes and not has_imex_channel:
            return (WITHOUT_MNNVL_IN_NCCL,)
        return ()

    def refusals(self, options: VllmOptions, use: ModelUse) -> Iterator[str]:
        """Sizes, kernels of the experts, and what speculation breaks."""
        return judged.refusals(options, use)

    def contradictions(self, roles: Mapping[WorkerRole, VllmOptions], use: ModelUse) -> Iterator[str]:
        """Lengths of prompts and answers, and connectors that do not meet."""
        return judged.contradictions(roles, use)


ON_LINES: Mapping[str, EngineOnLine] = MappingProxyType(
    {
        "1.2": EngineOnLine("0.20.1", "backend"),
        "1.4": EngineOnLine(
            "0.26.0",
            "backend",
            option_changes=(
                Sourced(
                    "dynamo.vllm: --is-prefill-worker and --is-decode-worker are gone",
                    "read",
                    f"{WHEELS}: dynamo/vllm/backend_args.py",
                ),
                Sourced(
                    "dynamo.vllm: the number format of activations is an option, "
                    "VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8 is gone",
                    "read",
                    "PyPI packages vllm 0.20.1, 0.26.0 and 0.31.0: vllm/envs.py, vllm/config/quantization.py",
                ),
            ),
        ),
    }
)
"""Line -> what is known of the engine in it."""
