"""What the engine writes down of a resource: in a state, a step of a preview, the outputs of the last run."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from resource_graph.input_text import InputError, first_problem
from resource_graph.resource import CustomTimeouts, Resource, set_timeouts
from resource_graph.urns import own_type, provider_urn, urn_name
from resource_graph.wire import plain_state

_CHECKPOINT = re.compile(r'\s*\{[^{}]*"checkpoint"\s*:')
_EXPECTED = "expected what `pulumi stack export` prints"


class _Written(BaseModel):
    """A JSON object of the engine's; what nobody here reads is left out."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, content: Any) -> Any:
        if not isinstance(content, Mapping):
            return content
        written = cast("Mapping[str, Any]", content)
        return {key: value for key, value in written.items() if value is not None}


class EngineRecord(_Written):
    """A resource with what only the engine knows of it (pulumi/pulumi sdk/go/common/apitype, ResourceV3)."""

    urn: str = Field(min_length=1)
    type: str = Field(min_length=1)
    custom: bool = False
    id: str = ""
    inputs: Mapping[str, Any] = {}
    """Inputs as the state has them, with the engine's marks."""
    outputs: Mapping[str, Any] = {}
    parent: str = ""
    provider: str = ""
    dependencies: tuple[str, ...] = ()
    property_dependencies: Mapping[str, tuple[str, ...] | None] = {}
    protect: bool = False
    retain_on_delete: bool = False
    custom_timeouts: CustomTimeouts = CustomTimeouts()
    delete: bool = False
    """Its successor exists."""
    pending_replacement: bool = False
    """It was deleted to make room for its successor."""
    external: bool = False
    """The program only reads it."""
    init_errors: tuple[str, ...] = ()
    """Why its last create or update failed, or why it never became ready."""

    @property
    def is_going(self) -> bool:
        """Whether its successor exists or will."""
        return self.delete or self.pending_replacement

    @cached_property
    def resource(self) -> Resource:
        """The resource; a secret among its inputs is UNKNOWN, as where nobody gives the passphrase."""
        inputs, secret_paths = plain_state(self.inputs)
        by_property = {key: frozenset(urns) for key, urns in self.property_dependencies.items() if urns}
        timeouts = self.custom_timeouts
        return Resource(
            urn=self.urn,
            type=self.type,
            name=urn_name(self.urn),
            inputs=inputs,
            custom=self.custom,
            parent=self.parent or None,
            provider=provider_urn(self.provider),
            dependencies=frozenset(self.dependencies).union(*by_property.values()),
            property_dependencies=by_property,
            protect=self.protect,
            retain_on_delete=self.retain_on_delete,
            custom_timeouts=set_timeouts(timeouts.create, timeouts.update, timeouts.delete),
            secret_paths=secret_paths,
        )


class PendingOperation(_Written):
    """A call that the engine had made, and whose answer it never heard."""

    type: str
    """Such as creating, updating, deleting or importing."""
    resource: EngineRecord


class Deployment(_Written):
    """What the engine knows of a stack; nothing, for one in which nothing was ever created."""

    model_config = ConfigDict(alias_generator=None)

    resources: tuple[EngineRecord, ...] = ()
    """In the order in which they were created."""
    pending_operations: tuple[PendingOperation, ...] = ()


class _Exported(_Written):
    # 4 is 3 with features that only newer engines understand; resources look alike in both
    # (pulumi/pulumi sdk/go/common/apitype/core.go, DeploymentV3 and DeploymentV4), and older ones do not.
    version: int = Field(ge=3)
    deployment: Deployment


def read_export(text: str) -> Deployment:
    """Read what `pulumi stack export` prints.

    Raises:
        InputError: the text is no JSON, or holds no state of a known version.
    """
    try:
        return _Exported.model_validate_json(text).deployment
    except ValidationError as error:
        is_checkpoint = _CHECKPOINT.match(text) is not None
        said = "a checkpoint out of a backend, with its history" if is_checkpoint else first_problem(error)
        raise InputError(f"{said}; {_EXPECTED}") from error


def read_record(content: object, where: str) -> EngineRecord:
    """Read one resource.

    Raises:
        InputError: it is not what the engine writes.
    """
    try:
        return EngineRecord.model_validate(content)
    except ValidationError as error:
        raise InputError(f"{where}: {first_problem(error)}") from error


def records_of_outputs(resources: Mapping[str, Mapping[str, Any]]) -> tuple[EngineRecord, ...]:
    """What a running program is told of the last run.

    Args:
        resources: URN -> outputs. A provider that keeps there what was asked for beside the live object
            has inputs too (pulumi-kubernetes provider/pkg/provider); of all others the outputs stand for
            them.
    """
    return tuple(
        EngineRecord(urn=urn, type=own_type(urn), inputs=_applied(outputs) or outputs, outputs=outputs)
        for urn, outputs in resources.items()
    )


def _applied(outputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
    applied = outputs.get("__inputs")
    return cast("Mapping[str, Any]", applied) if isinstance(applied, Mapping) else None
