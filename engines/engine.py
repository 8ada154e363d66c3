"""What an engine is to the rest of the project: its options, what they become, and what it refuses."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from engines.models import ModelShape, MxFp4AlgorithmName
from engines.release import WITHOUT_MNNVL_IN_NCCL, Workaround
from engines.transport_setup import KvProfile, TransportWords
from hardware import ArchitectureFamily, InstanceType, KvPath

PositiveInt = Annotated[int, Field(gt=0)]
NonNegativeInt = Annotated[int, Field(ge=0)]

KvDtype = Literal["auto", "fp8", "nvfp4"]
"""Number format of the KV cache; auto is the checkpoint's."""

WorkerRole = Literal["prefill", "decode", "worker"]
"""`worker` does both, prefill and decode."""


class OptionBlock(BaseModel, frozen=True):
    """Options that end up side by side in what an engine reads.

    An engine forbids unknown keys, so a key that is misspelt would stop the worker at start: here it is an
    error, and so is a key that the engine no longer has.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)
    removed: ClassVar[Mapping[str, str]] = {}
    """Key that the engine has no longer, or that is written elsewhere -> what to write instead."""

    extra: Mapping[str, Any] = Field(default_factory=dict)
    """Engine keys without a name here, passed through as they are."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_removed_keys(cls, data: object) -> object:
        given = _mapping(data)
        removed = [key for key in (*given, *_mapping(given.get("extra"))) if key in cls.removed]
        if removed:
            raise ValueError(
                "; ".join(f"{key} is no engine option any more: {cls.removed[key]}" for key in removed)
            )
        return data

    @model_validator(mode="after")
    def _extra_repeats_nothing(self) -> "OptionBlock":
        modelled = set(type(self).model_fields) & set(self.extra)
        if modelled:
            raise ValueError(
                f"extra repeats modelled options: {', '.join(sorted(modelled))}; write them outside of extra"
            )
        return self


class WorkerOptions(OptionBlock, frozen=True):
    """Options of a recipe's worker, of any engine."""

    @property
    @abstractmethod
    def kv_dtype(self) -> KvDtype:
        """Number format of the KV cache; auto is the checkpoint's."""

    @property
    @abstractmethod
    def hands_over(self) -> bool:
        """Whether its KV cache goes to other workers, or comes from them."""

    @abstractmethod
    def effective_max_seq_len(self, model_positions: int) -> int:
        """Tokens of prompt and answer together, for a model with that many positions."""


def written(block: OptionBlock) -> dict[str, Any]:
    """Return what was written and nothing else, so that the engine's defaults stay the engine's."""
    return _beside_extra(block.model_dump(mode="json", exclude_unset=True, exclude_none=True))


Options = TypeVar("Options", bound=WorkerOptions)

PORT = 8000
"""What a server of an engine's own listens at here, and the Service in front of it."""


@dataclass(frozen=True, slots=True)
class ModelUse:
    """The model that an engine is to serve, and the traffic that it is sized for."""

    shape: ModelShape
    prompt_tokens: int
    answer_tokens: int
    algorithm: MxFp4AlgorithmName | None
    """Number formats of the experts; None is the engine's default for the checkpoint."""
    families: tuple[ArchitectureFamily, ...]
    """GPU families on which it is to run."""


@dataclass(frozen=True, slots=True)
class WorkerStart:
    """What the worker of one service is started with, beside the options of its engine."""

    served_name: str
    role: WorkerRole
    arguments: tuple[str, ...]
    """Flags of the recipe, one flag or value an entry, as the newest release line calls them."""
    runtime_version: str
    """Tag of the runtime image without EFA, such as 1.2.1."""
    model_path: str
    """Directory of the model in the container."""
    engine_file_path: str
    """Where the engine's file is mounted, of an engine that has one."""
    algorithm: MxFp4AlgorithmName | None
    """Number formats of the experts; None is the engine's default for the checkpoint."""
    draft_directories: Mapping[str, str]
    """Repository of a draft model -> its directory in the container."""


class Engine(ABC, Generic[Options]):
    """One engine: what its options become, what it needs, and what it refuses."""

    name: str
    """What a person calls it."""
    backend_framework: str
    """What the graph's spec.backendFramework calls it."""
    options: type[Options]
    """The options of a recipe's worker, complete enough to size it."""
    settings: type[BaseModel]
    """The same with every option optional: what a stack's settings may override, key by key."""

    variables: frozenset[str]
    """Those that a worker's environment sets where the engine needs them; nobody types them beside it."""

    length_option: str
    """The option that holds the tokens of prompt and answer together."""
    block_option: str
    """What its options call the tokens of one KV-cache block."""
    transfer_words: str
    """What a role's options say where its KV cache is handed over."""

    transport_option: str
    """Dotted path of the option that the KV transport sets; what a recipe or a person types there is lost."""

    transports: TransportWords
    """What it has of its own for the KV transports."""

    efa: KvPath
    """What is published of its KV cache on EFA, on x86 nodes (hardware.efa_path)."""

    transfers_seconds: int = 0
    """For how long a prefill worker that ends waits at most for others that still read its KV cache: once its
    requests are over, and before the engine shuts down."""

    @abstractmethod
    def command_line(self, options: Options, start: WorkerStart) -> str:
        """Return the shell command of a worker, without `exec`, in the words of the runtime's release line.

        Raises:
            ValueError: the tag of the runtime image is no release's.

        """

    @abstractmethod
    def environment(self, start: WorkerStart) -> dict[str, str]:
        """Return the variables that the command line and the engine read.

        Raises:
            ValueError: the tag of the runtime image is no release's.

        """

    def port_environment(self, index: int) -> dict[str, str]:  # noqa: ARG002 - not every engine has such ports
        """Return the variables that keep a worker's fixed ports apart from those of others in its pod.

        Args:
            index: of the worker among the pod's, from 0. Its system port is chosen elsewhere.

        """
        return {}

    def engine_file(self, options: Options) -> str | None:  # noqa: ARG002 - not every engine has one
        """Return the engine's file for these options, the same text for the same options.

        None for an engine whose every option stands on its command line.
        """
        return None

    @abstractmethod
    def with_transport(self, options: Options, profile: KvProfile) -> Options:
        """Return the options for the transport, whatever backend the recipe names."""

    def short_buffer(  # not every engine has such buffers
        self,
        options: Options,  # noqa: ARG002
        profile: KvProfile,  # noqa: ARG002
        prompt_tokens: int,  # noqa: ARG002
    ) -> tuple[str, int, int] | None:
        """Return the transfer buffer that does not hold a prompt of so many tokens, and does not grow.

        It is the dotted path of the option that sizes it, its tokens, and the smallest number that would do.
        None where all fit.
        """
        return None

    def known_defects(
        self,
        options: Options,  # noqa: ARG002 - for defects of one engine
        *,
        instance_type: InstanceType,
        runtime_version: str,  # noqa: ARG002 - likewise
        has_imex_channel: bool,
    ) -> tuple[Workaround, ...]:
        """Return what a worker needs against the defects that it would meet.

        Args:
            options: of the worker.
            instance_type: of its nodes.
            runtime_version: tag of the runtime image.
            has_imex_channel: whether its pod claims a channel of a compute domain.

        Raises:
            ValueError: the tag is no release's, so that nobody knows its defects.

        """
        return (WITHOUT_MNNVL_IN_NCCL,) if instance_type.nvlink_crosses_nodes and not has_imex_channel else ()

    @abstractmethod
    def refusals(self, options: Options, use: ModelUse) -> Iterator[str]:
        """Yield what the engine refuses of one worker for this model, at start or after it was loaded."""

    def contradictions(self, roles: Mapping[WorkerRole, Options], use: ModelUse) -> Iterator[str]:
        """Yield where the roles of one graph do not fit together, or not the traffic.

        Which backend carries the KV cache is the transport's, whatever the roles say.
        """
        for role, options in roles.items():
            # A prefill worker makes the first token of the answer.
            needed = use.prompt_tokens + (1 if role == "prefill" else use.answer_tokens)
            longest = options.effective_max_seq_len(use.shape.max_positions)
            if needed > longest:
                yield (
                    f"{needed} tokens of prompt and answer exceed the {whose(role)}'s {self.length_option} "
                    f"{longest}"
                )
        worker, prefill, decode = roles.get("worker"), roles.get("prefill"), roles.get("decode")
        if worker is not None and worker.hands_over:
            yield f"an aggregated worker hands no KV cache over: leave {self.transfer_words} out"
        if prefill is None or decode is None:
            return
        if not (prefill.hands_over and decode.hands_over):
            yield f"prefill and decode workers both need {self.transfer_words}"
            return
        if prefill.kv_dtype != decode.kv_dtype:
            yield f"KV cache of {prefill.kv_dtype} cannot be read by a decode worker with {decode.kv_dtype}"
        blocks = [getattr(options, self.block_option) for options in (prefill, decode)]
        if blocks[0] != blocks[1]:
            yield (
                f"prefill and decode workers must use the same {self.block_option}, not {blocks[0]} and "
                f"{blocks[1]}"
            )


def whose(role: WorkerRole) -> str:
    """A role's worker, for a message."""
    return role if role == "worker" else f"{role} worker"


def _beside_extra(options: dict[str, Any]) -> dict[str, Any]:
    """Return options whose `extra` stands beside them, in each block."""
    extra = options.pop("extra", {})
    for key, value in options.items():
        if isinstance(value, dict):
            options[key] = _beside_extra(cast("dict[str, Any]", value))
    return {**options, **extra}


def _mapping(data: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", data) if isinstance(data, Mapping) else {}
