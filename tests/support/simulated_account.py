"""Runs the real program in this process against the simulated AWS account, without an engine.

What Pulumi's engine would hand to the provider's stand-in, this hands to it: the stand-in turns each
resource's inputs into requests and the account answers them, so that the program gets ids and ARNs of things
that are there. Objects in the cluster come back as they were given.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from pulumi.runtime.mocks import MockCallArgs, MockMonitor, MockResourceArgs, Mocks

from lab.aws_provider.api import Api
from lab.aws_provider.cloud.server import REQUESTS_FILE, CloudServer
from lab.aws_provider.cloud.settings import Settings
from lab.aws_provider.provider import Provider
from lab.provider_service.errors import ProviderError
from lab.provider_service.values import Properties, plain_map, to_properties
from lab.reservations import reservations_of
from resource_graph.recorder import run_against
from resource_graph.urns import make_urn
from stacks.program.deploy_stack import deploy
from stacks.updates.running import Running
from tests.support.dev_settings import resolved

_PROJECT, _STACK = "dynamo-stack", "dev"


Request = dict[str, Any]
"""Service, operation, region, parameters, requestId, and error, which is None where it was granted."""


@dataclass(frozen=True)
class Life:
    """What was asked of the account."""

    up: list[Request]
    up_again: list[Request]
    """With the same settings."""
    lift: list[Request]
    """`up` with `lifecycle: disposable`, after which the stack may go."""
    destroy: list[Request]
    kubeconfigs: list[str]
    """Of the cluster, as each run learns it."""

    @property
    def requests(self) -> list[Request]:
        """All of them."""
        return [*self.up, *self.up_again, *self.lift, *self.destroy]


def live(
    settings: dict[str, Any],
    folder: Path,
    caller: str = Settings.caller,
    role_path: str = "/",
    *,
    again: bool = True,
) -> Life:
    """Builds a stack in an account, changes nothing, and takes all of it down again.

    Neither policies nor the engine's own protection are asked: the account never hears of them.

    Args:
        settings: of the stack.
        folder: of the account's files, made here.
        caller: whose credentials the program has, as the account's settings name it.
        role_path: that of the caller's role, which the account has before the program runs.
        again: False runs `up` once, with `lifecycle: disposable`, and leaves `up_again` and `lift` empty.

    """
    with _account(settings, folder, caller) as endpoint, _role(endpoint, caller, role_path):
        program = _Program(endpoint)
        done: list[int] = [len(_requests(folder))]
        kubeconfigs: list[str] = []
        try:
            disposable = {**settings, "lifecycle": "disposable"}
            for each in (settings, settings, disposable) if again else (disposable,):
                stack = resolved(each)
                monitor = _Monitor(program)
                made = partial(deploy, stack, running=Running(), learn=kubeconfigs.append)
                run_against(monitor, made, project=_PROJECT, stack=_STACK, preview=False)
                done.append(len(_requests(folder)))
        finally:
            # Also of a program that was refused: what moto holds is there for the next account as well.
            program.destroy()
        runs = [_requests(folder)[slice(*ends)] for ends in pairwise([*done, None])]
        up, up_again, lift, destroy = runs if again else (runs[0], [], [], runs[1])
        return Life(up, up_again, lift, destroy, kubeconfigs)


@contextmanager
def _account(settings: dict[str, Any], folder: Path, caller: str) -> Iterator[str]:
    folder.mkdir(parents=True)
    reservations = folder / "capacity-reservations.json"
    reservations.write_text(json.dumps(reservations_of(settings["nodePools"])))
    server = CloudServer(folder, Settings(reservations=reservations, caller=caller))
    server.start()
    try:
        yield server.endpoint
    finally:
        server.stop()


@contextmanager
def _role(endpoint: str, caller: str, path: str) -> Iterator[None]:
    kind, _, session = caller.partition("/")
    if kind != "assumed-role":
        yield
        return
    name, iam = session.partition("/")[0], Api(endpoint, "us-east-1")
    trusted = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [trusted]})
    iam.call("iam", "CreateRole", {"RoleName": name, "Path": path, "AssumeRolePolicyDocument": policy})
    try:
        yield
    finally:
        iam.call("iam", "DeleteRole", {"RoleName": name})


def _requests(folder: Path) -> list[Request]:
    return [json.loads(line) for line in (folder / REQUESTS_FILE).read_text().splitlines()]


@dataclass(frozen=True)
class _Made:
    id: str
    inputs: Properties
    state: Properties


class _Monitor(MockMonitor):
    def make_urn(self, parent: str, type_: str, name: str) -> str:
        return make_urn(stack=_STACK, project=_PROJECT, parent=parent or None, resource_type=type_, name=name)


class _Program(Mocks):
    """Makes what the program registers, as it registers it."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._provider: Provider | None = None
        self._made: dict[str, _Made] = {}

    def call(self, args: MockCallArgs) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        try:
            return plain_map(self._configured.invoke(args.token, to_properties(args.args))), []
        except ProviderError as error:
            # Raised, it would end the run; an engine answers, and the program may catch that.
            return {}, [("", str(error))]

    def new_resource(self, args: MockResourceArgs) -> tuple[str, dict[str, Any]]:
        if args.typ == "pulumi:providers:aws":
            self._configure(args.inputs)
        elif args.typ.startswith("aws:"):
            return self._make(args)
        return f"{args.name}-id", args.inputs

    def destroy(self) -> None:
        """Deletes what was made, the last first."""
        for urn, made in reversed(self._made.items()):
            self._configured.delete(urn, made.id, made.state, seconds=0)
        self._made.clear()

    def _configure(self, inputs: dict[str, Any]) -> None:
        provider = Provider()
        given = to_properties({**inputs, "endpoints": json.dumps([{"ec2": self._endpoint}])})
        assert provider.check_config(given) == []
        provider.configure(given)
        self._provider = provider

    def _make(self, args: MockResourceArgs) -> tuple[str, dict[str, Any]]:
        assert args.provider, f"{args.name} would go through a provider that nobody configured"
        provider = self._configured
        urn = f"urn:pulumi:{_STACK}::{_PROJECT}::{args.typ}::{args.name}"
        given = to_properties(args.inputs)
        before = self._made.get(urn)
        inputs, failures = provider.check(urn, before.inputs if before else {}, given, b"seed")
        assert failures == []
        if before is None:
            identifier, state = provider.create(urn, inputs, seconds=0, preview=False)
            made = _Made(identifier, inputs, state)
        else:
            made = _changed(provider, urn, before, inputs)
        self._made[urn] = made
        return made.id, plain_map(made.state)

    @property
    def _configured(self) -> Provider:
        assert self._provider is not None, "the program has an AWS provider"
        return self._provider


def _changed(provider: Provider, urn: str, before: _Made, inputs: Properties) -> _Made:
    difference = provider.diff(urn, before.state, before.inputs, inputs, [])
    assert not difference.replaces, f"{urn} would be replaced"
    if not difference.difference.fields:
        return before
    state = provider.update(
        urn, before.id, before.state, before.inputs, inputs, seconds=0, ignored=[], preview=False
    )
    return _Made(before.id, inputs, state)
