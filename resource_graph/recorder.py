"""Runs the real program without an engine and keeps what it registers.

There is no second description of the stack: what `render`, `explain` and `check` show is what `pulumi up`
would be asked for.
"""

import asyncio
import logging
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import Context
from typing import Any, NoReturn

from google.protobuf.struct_pb2 import Struct
from pulumi._utils import ContextProperty
from pulumi.runtime import Settings, configure, rpc, run_in_stack, set_all_config
from pulumi.runtime.mocks import MockCallArgs, MockEngine, MockMonitor, MockResourceArgs, Mocks
from pulumi.runtime.proto import resource_pb2

from resource_graph.engine_state import duration_seconds, plain_inputs
from resource_graph.graph import RecordingError, ResourceGraph
from resource_graph.resource import CustomTimeouts, Resource
from resource_graph.urns import make_urn, provider_urn

_STACK_REFERENCE = "pulumi:pulumi:StackReference"


def record(program: Callable[[], None], *, project: str, stack: str) -> ResourceGraph:
    """The resources that the program registers, in an order in which the engine could create them.

    Ids and other outputs that a provider would make up stay unknown. No configuration, environment or
    state is read on the program's behalf, and nothing remains behind in the process: it can be called
    again, also with other programs.

    Raises:
        DuplicateResourceError: two resources would have the same URN.
        RecordingError: the program calls a provider function.
        Exception: whatever the program itself raises.
    """
    monitor = _RecordingMonitor(project, stack)
    run_against(monitor, program, project=project, stack=stack, preview=True)
    # Registrations that do not wait for each other arrive in any order.
    return ResourceGraph(ResourceGraph(monitor.recorded).in_creation_order())


def run_against(
    monitor: MockMonitor, program: Callable[[], None], *, project: str, stack: str, preview: bool
) -> None:
    """Run the program with a monitor of one's own in the engine's place; nothing remains in the process."""
    # A thread of its own has its own context variables and its own event loop, which is where the SDK keeps
    # its state.
    with _fallbacks_restored(), ThreadPoolExecutor(max_workers=1, thread_name_prefix="recorder") as thread:
        thread.submit(_run, program, monitor, project, stack, preview).result()


class _RecordingMonitor(MockMonitor):
    def __init__(self, project: str, stack: str) -> None:
        super().__init__(_NoAnswers())
        self._project = project
        self._stack = stack
        self._requests: dict[str, resource_pb2.RegisterResourceRequest] = {}
        self.recorded: list[Resource] = []

    def RegisterResource(  # noqa: N802 - the name of the remote procedure
        self, request: resource_pb2.RegisterResourceRequest
    ) -> resource_pb2.RegisterResourceResponse:
        parent = self._requests.get(request.parent)
        if parent is not None:
            _inherit(request, parent)
        urn = self.make_urn(request.parent, request.type, request.name)
        self._requests[urn] = request
        self.recorded.append(_resource(urn, request))
        # What the program set itself is known in a preview, so it is handed back; everything else about
        # the resource stays unknown.
        return resource_pb2.RegisterResourceResponse(urn=urn, object=request.object, unknown=request.custom)

    def ReadResource(  # noqa: N802 - the name of the remote procedure
        self, request: resource_pb2.ReadResourceRequest
    ) -> resource_pb2.ReadResourceResponse:
        if request.type != _STACK_REFERENCE:
            raise RecordingError(
                f"the program reads the existing {request.type} {request.id!r}: "
                "what it is can be known only with a real engine"
            )
        # Keep that there is one; what the other stack has exported stays unknown.
        urn = self.make_urn(request.parent, request.type, request.name)
        self.recorded.append(
            Resource(
                urn=urn,
                type=request.type,
                name=request.name,
                inputs=plain_inputs(request.properties)[0],
                custom=True,
                parent=request.parent or None,
            )
        )
        known = Struct()
        known.update({"name": request.id, "outputs": rpc.UNKNOWN, "secretOutputNames": rpc.UNKNOWN})
        return resource_pb2.ReadResourceResponse(urn=urn, properties=known)

    def make_urn(self, parent: str, type_: str, name: str) -> str:
        return make_urn(
            stack=self._stack,
            project=self._project,
            parent=parent or None,
            resource_type=type_,
            name=name,
        )


class _NoAnswers(Mocks):
    def call(self, args: MockCallArgs) -> NoReturn:
        raise RecordingError(
            f"the program calls the provider function {args.token}: only a real engine can answer it"
        )

    def new_resource(self, args: MockResourceArgs) -> NoReturn:
        raise RecordingError(f"no outputs are invented for {args.typ} {args.name}")


def _inherit(
    request: resource_pb2.RegisterResourceRequest, parent: resource_pb2.RegisterResourceRequest
) -> None:
    # As the engine does before it looks at a registration (pulumi/pulumi
    # pkg/resource/deploy/source_eval.go, inheritFromParent).
    if not request.HasField("protect") and parent.HasField("protect"):
        request.protect = parent.protect
    if not request.HasField("retainOnDelete") and parent.HasField("retainOnDelete"):
        request.retainOnDelete = parent.retainOnDelete


def _resource(urn: str, request: resource_pb2.RegisterResourceRequest) -> Resource:
    inputs, secret_paths = plain_inputs(request.object if request.HasField("object") else Struct())
    property_dependencies = {
        key: frozenset(dependencies.urns)
        for key, dependencies in request.propertyDependencies.items()
        if dependencies.urns
    }
    return Resource(
        urn=urn,
        type=request.type,
        name=request.name,
        inputs=inputs,
        custom=request.custom,
        parent=request.parent or None,
        provider=provider_urn(request.provider),
        dependencies=frozenset(request.dependencies).union(*property_dependencies.values()),
        property_dependencies=property_dependencies,
        protect=request.protect,
        retain_on_delete=request.retainOnDelete,
        custom_timeouts=CustomTimeouts(
            create=duration_seconds(request.customTimeouts.create),
            update=duration_seconds(request.customTimeouts.update),
            delete=duration_seconds(request.customTimeouts.delete),
        ),
        delete_before_replace=request.deleteBeforeReplace if request.deleteBeforeReplaceDefined else None,
        ignore_changes=tuple(request.ignoreChanges),
        replace_on_changes=tuple(request.replaceOnChanges),
        secret_paths=secret_paths,
    )


def _run(program: Callable[[], None], monitor: MockMonitor, project: str, stack: str, preview: bool) -> None:
    set_all_config({}, [])
    configure(
        Settings(
            project=project,
            stack=stack,
            monitor=monitor,
            engine=MockEngine(logging.getLogger(__name__)),
            dry_run=preview,
            organization="organization",
        )
    )

    with asyncio.Runner() as runner:
        # One worker, so that the monitor sees one registration after another.
        runner.get_loop().set_default_executor(ThreadPoolExecutor(max_workers=1))
        runner.run(run_in_stack(program))


@contextmanager
def _fallbacks_restored() -> Generator[None]:
    """Put back what a program leaves in the process.

    The SDK's settings are context variables, but the first value set in a fresh context also becomes the
    fallback of every other fresh context in the process. In a fresh context that fallback shows.
    """
    members: Mapping[str, Any] = vars(Settings)
    settings: list[Any] = [member for member in members.values() if isinstance(member, ContextProperty)]
    fallbacks: list[Any] = Context().run(lambda: [setting.fget() for setting in settings])
    try:
        yield
    finally:
        restored = zip(settings, fallbacks, strict=True)
        Context().run(lambda: [setting.fset(fallback) for setting, fallback in restored])
