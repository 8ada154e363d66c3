"""What an engine, or a server that it brings along, is to the rest of the project: one protocol for each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from pydantic import BaseModel

from engines.option_block import KvDtype, WorkerRole
from engines.quantization import MxFp4AlgorithmName
from engines.release import Workaround
from engines.transport_setup import KvProfile
from hardware import ArchitectureFamily, EfaEvidence, InstanceType, KvTransportName

Options = TypeVar("Options", bound="EngineOptions")


@dataclass(frozen=True, slots=True)
class ModelUse:
    """The model that an engine is to serve, and the traffic that it is sized for."""

    experts: int
    positions: int
    """Tokens of prompt and answer that the model was made for."""
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


@dataclass(frozen=True, slots=True)
class ShortBuffer:
    """A transfer buffer that does not hold the longest prompt and does not grow."""

    option: str
    """Dotted path of the option that sizes it."""
    tokens: int
    enough: int
    """Smallest number of tokens that would do."""


class EngineOptions(Protocol):
    """Options of the workers of one role, sound by themselves."""

    @property
    def gpus(self) -> int:
        """GPUs of one worker."""
        ...

    @property
    def kv_dtype(self) -> KvDtype:
        """Number format of the KV cache; auto is the checkpoint's."""
        ...

    @property
    def concurrent_requests(self) -> int:
        """Requests that one worker runs at once; more wait."""
        ...

    @property
    def draft_model(self) -> str | None:
        """Repository of the model that proposes tokens; None without one."""
        ...

    @property
    def host_cache_bytes(self) -> int:
        """Bytes of host memory that hold KV cache of one worker beside its GPUs'."""
        ...

    def effective_max_seq_len(self, model_positions: int) -> int:
        """Tokens of prompt and answer together, for a model with that many positions."""
        ...

    def longest_prompt(self, model_positions: int) -> int:
        """Tokens of the longest prompt that is answered; the engine refuses a longer one."""
        ...


class Engine(Protocol[Options]):
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

    transport_option: str
    """Dotted path of the option that the KV transport sets; what a recipe or a person types there is lost."""

    efa: EfaEvidence
    """What is published of its KV cache on EFA."""

    def command_line(self, options: Options, start: WorkerStart) -> str:
        """Return the shell command of a worker, without `exec`, in the words of the runtime's release line.

        Raises:
            ValueError: the tag of the runtime image is no release's.

        """
        ...

    def environment(self, start: WorkerStart) -> dict[str, str]:
        """Return the variables that the command line and the engine read.

        Raises:
            ValueError: the tag of the runtime image is no release's.

        """
        ...

    def port_environment(self, index: int) -> dict[str, str]:
        """Return the variables that keep a worker's fixed ports apart from those of others in its pod.

        Args:
            index: of the worker among the pod's, from 0. Its system port is chosen elsewhere.

        """
        ...

    def transfers_seconds(self, role: WorkerRole) -> int:
        """Return for how long a worker that ends waits for others that still read its KV cache.

        It does so once its requests are over, and before the engine shuts down.
        """
        ...

    def engine_file(self, options: Options) -> str | None:
        """Return the engine's file for these options, the same text for the same options.

        None for an engine whose every option stands on its command line.
        """
        ...

    def kv_profile(
        self,
        transport: KvTransportName,
        *,
        instance_type: InstanceType,
        runtime_version: str,
        roce: bool,
    ) -> KvProfile:
        """Return how workers are set up for the transport.

        Raises:
            ValueError: the runtime has no image for it.

        """
        ...

    def with_transport(self, options: Options, profile: KvProfile) -> Options:
        """Return the options for the transport, whatever backend the recipe names."""
        ...

    def short_buffer(self, options: Options, profile: KvProfile, prompt_tokens: int) -> ShortBuffer | None:
        """Return the transfer buffer that a prompt of so many tokens would not fit; None where all fit."""
        ...

    def known_defects(
        self, options: Options, *, instance_type: InstanceType, runtime_version: str, has_imex_channel: bool
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
        ...

    def refusals(self, options: Options, use: ModelUse) -> Iterator[str]:
        """Yield what the engine refuses of one worker for this model, at start or after it was loaded."""
        ...

    def contradictions(self, roles: Mapping[WorkerRole, Options], use: ModelUse) -> Iterator[str]:
        """Yield where the roles of one graph do not fit together, or not the traffic."""
        ...


PORT = 8000
"""What every such server listens at here, and the Service in front of it."""


@dataclass(frozen=True, slots=True)
class ServerPaths:
    """Paths of its HTTP port."""

    ready: str
    """Answers 200 once requests are served, and not before."""
    metrics: str
    """Metrics in Prometheus' words."""


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """How one server is started."""

    command_line: str
    """For a shell, without `exec`; options of the engine come from its file alone."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


class EngineServer(Protocol):
    """One engine's own server."""

    framework: str
    """Name of the engine, a key of ENGINES."""
    paths: ServerPaths
    dynamo_releases: Mapping[str, str]
    """Version of its image -> release of Dynamo's runtime with the same engine: defects are known by it."""

    def command(
        self, *, served_name: str, engine_file_path: str, model_path: str, algorithm: str | None
    ) -> ServerCommand:
        """Return how it is started for a model on the cache."""
        ...
