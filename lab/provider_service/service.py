"""The engine's gRPC calls, translated to and from the provider.

Not `pulumi.provider.experimental.server`: its servicer cannot return ErrorResourceInitFailed, by
which the engine records a resource that exists but is not ready, and its DiffConfig cannot say that
a provider is replaced.
"""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any, NoReturn

import grpc
from google.protobuf import any_pb2, empty_pb2
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc, status_pb2

from lab.provider_service.errors import Gone, InitializationError, NotServedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf import struct_pb2

    from lab.aws_provider.provider import Provider as AwsProvider
    from lab.kubernetes_provider.provider import Provider as KubernetesProvider
    from lab.provider_service.difference import FieldChange
    from lab.provider_service.values import Properties

    Provider = AwsProvider | KubernetesProvider

# The names of methods and messages, and what they mean, are the protocol's.
# ruff: noqa: N802, D102, ARG002


class Service(provider_pb2_grpc.ResourceProviderServicer):
    """pulumirpc.ResourceProvider over a Provider that is made at the first call."""

    def __init__(self, name: str, version: str, make: Callable[[], Provider]) -> None:
        self._name, self._version, self._make = name, version, make
        self._made: Provider | None = None
        self._lock = threading.Lock()

    def provider(self) -> Provider:
        """The provider, made when it is first asked for."""
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> Any:
        return plugin_pb2.PluginInfo(version=self._version)

    def GetSchema(self, request: Any, context: grpc.ServicerContext) -> Any:
        return provider_pb2.GetSchemaResponse(
            schema=json.dumps({"name": self._name, "version": self._version})
        )

    def Cancel(self, request: Any, context: grpc.ServicerContext) -> Any:
        if self._made is not None:
            self._made.cancel()
        return empty_pb2.Empty()

    def CheckConfig(self, request: Any, context: grpc.ServicerContext) -> Any:
        failures = self._call(context, lambda provider: provider.check_config(_read(request.news)))
        return provider_pb2.CheckResponse(inputs=request.news, failures=_failures(failures))

    def DiffConfig(self, request: Any, context: grpc.ServicerContext) -> Any:
        found = self._call(
            context, lambda provider: provider.diff_config(_read(request.olds), _read(request.news))
        )
        replace, change = provider_pb2.PropertyDiff.UPDATE_REPLACE, provider_pb2.PropertyDiff.UPDATE
        kinds = {
            key: replace if key in found.replaces else change for key in {*found.changed, *found.replaces}
        }
        return provider_pb2.DiffResponse(
            changes=provider_pb2.DiffResponse.DIFF_SOME if kinds else provider_pb2.DiffResponse.DIFF_NONE,
            replaces=found.replaces,
            diffs=sorted(kinds),
            detailedDiff={
                key: provider_pb2.PropertyDiff(kind=kind, inputDiff=True) for key, kind in kinds.items()
            },
            hasDetailedDiff=True,
        )

    def Configure(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._call(context, lambda provider: provider.configure(_read(request.args)))
        return provider_pb2.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    def Check(self, request: Any, context: grpc.ServicerContext) -> Any:
        inputs, failures = self._call(
            context,
            lambda provider: provider.check(
                request.urn, _read(request.olds), _read(request.news), request.randomSeed
            ),
        )
        return provider_pb2.CheckResponse(inputs=_write(inputs), failures=_failures(failures))

    def Diff(self, request: Any, context: grpc.ServicerContext) -> Any:
        found = self._call(
            context,
            lambda provider: provider.diff(
                request.urn,
                _read(request.olds),
                _read(request.old_inputs),
                _read(request.news),
                list(request.ignoreChanges),
            ),
        )
        some, none = provider_pb2.DiffResponse.DIFF_SOME, provider_pb2.DiffResponse.DIFF_NONE
        return provider_pb2.DiffResponse(
            changes=some if found.has_changes else none,
            replaces=found.replaces,
            deleteBeforeReplace=found.delete_before_replace,
            detailedDiff={path: _property_diff(change) for path, change in found.difference.fields.items()},
            hasDetailedDiff=True,
        )

    def Create(self, request: Any, context: grpc.ServicerContext) -> Any:
        identifier, state = self._call(
            context,
            lambda provider: provider.create(
                request.urn, _read(request.properties), seconds=request.timeout, preview=request.preview
            ),
        )
        return provider_pb2.CreateResponse(id=identifier, properties=_write(state))

    def Update(self, request: Any, context: grpc.ServicerContext) -> Any:
        state = self._call(
            context,
            lambda provider: provider.update(
                request.urn,
                request.id,
                _read(request.olds),
                _read(request.old_inputs),
                _read(request.news),
                seconds=request.timeout,
                ignored=list(request.ignoreChanges),
                preview=request.preview,
            ),
        )
        return provider_pb2.UpdateResponse(properties=_write(state))

    def Read(self, request: Any, context: grpc.ServicerContext) -> Any:
        def read(provider: Provider) -> Any:
            try:
                state, inputs = provider.read(
                    request.urn, request.id, _read(request.properties), _read(request.inputs)
                )
            except Gone:
                return provider_pb2.ReadResponse()
            return provider_pb2.ReadResponse(id=request.id, properties=_write(state), inputs=_write(inputs))

        return self._call(context, read)

    def Delete(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._call(
            context,
            lambda provider: provider.delete(
                request.urn, request.id, _read(request.properties), seconds=request.timeout
            ),
        )
        return empty_pb2.Empty()

    def Invoke(self, request: Any, context: grpc.ServicerContext) -> Any:
        answer = self._call(context, lambda provider: provider.invoke(request.tok, _read(request.args)))
        return _invoke_response(answer)

    def _call(self, context: grpc.ServicerContext, call: Callable[[Provider], Any]) -> Any:
        try:
            return call(self.provider())
        except InitializationError as error:
            _abort_partially(context, error)
        except NotServedError as error:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, str(error))
        # Whatever it is must reach the person as text, not as a traceback.
        except Exception as error:
            context.abort(grpc.StatusCode.UNKNOWN, str(error) or type(error).__name__)


class _Status(grpc.Status):
    """A status with details, which grpc wants as an object of its own class."""

    def __init__(self, error: InitializationError, details: bytes) -> None:
        self.code = grpc.StatusCode.UNKNOWN
        self.details = str(error)
        self.trailing_metadata = (("grpc-status-details-bin", details),)


def _abort_partially(context: grpc.ServicerContext, error: InitializationError) -> NoReturn:
    detail = provider_pb2.ErrorResourceInitFailed(
        id=error.resource_id,
        properties=_write(error.properties),
        reasons=error.reasons,
        inputs=_write(error.inputs) if error.inputs is not None else None,
    )
    packed = any_pb2.Any()
    packed.Pack(detail, type_url_prefix="type.googleapis.com")
    status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=str(error), details=[packed])
    context.abort_with_status(_Status(error, status.SerializeToString()))
    raise AssertionError("abort_with_status always raises")


def _property_diff(change: FieldChange) -> Any:
    name = f"{change.change.value}_REPLACE" if change.replaces else change.change.value
    return provider_pb2.PropertyDiff(
        kind=provider_pb2.PropertyDiff.Kind.Value(name), inputDiff=change.change.value == "DELETE"
    )


def _read(struct: struct_pb2.Struct) -> Properties:
    return PropertyValue.unmarshal_map(struct)


def _write(properties: Properties) -> struct_pb2.Struct:
    return PropertyValue.marshal_map(properties)


def _invoke_response(answer: Properties) -> Any:
    response = provider_pb2.InvokeResponse()
    # The field's name is a word of Python.
    getattr(response, "return").CopyFrom(_write(answer))
    return response


def _failures(found: list[tuple[str, str]]) -> list[Any]:
    return [provider_pb2.CheckFailure(property=name, reason=reason) for name, reason in found]
