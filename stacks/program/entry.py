"""Where the engine enters: reads the settings, refuses what cannot be, registers the rest."""

import json
import os
from collections.abc import Callable, Iterator, Sequence

import pulumi

from components.cluster_reader import ClusterReader
from failures.engine_process import makes_resources
from failures.hook import explain_failures
from stacks.errors import Problem, SettingsError
from stacks.plan.layers.layering import owner_problems
from stacks.plan.resolve import resolve
from stacks.program.deploy_stack import deploy, kubeconfig_file
from stacks.program.end_of_up import watch_of
from stacks.settings.cluster import ClusterSettings, EksClusterSettings, reservation_id
from stacks.settings.load import parse_settings, plain_token_problem, secret_problem
from stacks.settings.stack import StackSettings
from stacks.updates.beside_what_runs import beside_what_runs
from stacks.updates.free_gpus import pool_uses, room_notices, room_problems
from stacks.updates.guards.cluster_identity import cluster_of_state, cluster_problems
from stacks.updates.guards.fixed_at_creation import REBUILT_VARIABLE
from stacks.updates.guards.foreign_and_lost import (
    foreign_problems,
    look_for_losses,
    loss_notices,
    lost_claim,
    uid_of,
)
from stacks.updates.guards.refused_changes import refused_changes
from stacks.updates.last_run import last_run, outputs_of
from stacks.updates.notices import Notice
from stacks.updates.planned_update import planned_update, scaled_notices

SETTINGS_KEY = "settings"
TOKEN_KEY = "hfToken"  # noqa: S105 - the name of a configuration key, not a token
_RESERVATION = "cr-0123456789abcdef0"
# RFC 5737: addresses for documents, which belong to nobody.
_DOCUMENTS = ("192.0.2.", "198.51.100.", "203.0.113.")


def main() -> None:
    """Register the stack that the engine was started for.

    Raises:
        pulumi.RunError: the settings cannot be used, lead to another cluster, or change what is fixed; its
            text is meant for a person, without a traceback.

    """
    config = pulumi.Config()
    name = pulumi.get_stack()
    source = f"Pulumi.{name}.yaml"
    try:
        token = _configured_token(config, source)
        settings = _configured_settings(config, source)
        typed = parse_settings(settings, source)
        planned = resolve(name, typed, source)
        if typed.cluster.kind == "existing":
            # No kubeconfig of a person leads to a cluster that a stack of this project makes.
            _refuse(source, cluster_problems(typed.cluster))
        _refuse(source, owner_problems(planned.layers, outputs_of))
        running = last_run()
        stack, wanted = beside_what_runs(planned, running)
        cluster = cluster_of_state(typed.cluster, kubeconfig_file(typed.cluster), running)
        scaled = tuple(scaled_notices(stack, wanted, running, cluster))
        seen = look_for_losses(stack, cluster)
        uses = pool_uses(stack, cluster, running.graphs)
        problems = refused_changes(stack, running, os.environ.get(REBUILT_VARIABLE, ""))
        if makes_resources():
            problems += foreign_problems(stack, running, cluster)
            problems += room_problems(stack, wanted, running, uses)
        _refuse(source, problems)
    except SettingsError as error:
        raise pulumi.RunError(str(error)) from None
    # That of a cluster which the program makes comes when it is known.
    kubeconfigs = [""]
    reader = _reader_for(typed.cluster, cluster, kubeconfigs)
    explain_failures(reader)
    # A preview says whether the graph fits; an `up` tells only what it will wait for.
    room = [each for each in room_notices(stack, uses) if each.warns or pulumi.runtime.is_dry_run()]
    told = (*typed_doubts(typed), *loss_notices(stack, running, seen), *scaled, *room)
    deploy(
        stack,
        token,
        planned_update(stack, wanted, running, told),
        running=running,
        found_claim=uid_of(seen),
        lost=lost_claim(stack, running, seen),
        watch=watch_of(stack, reader),
        learn=kubeconfigs.append,
    )


def typed_doubts(settings: StackSettings) -> Iterator[Notice]:
    """Warn of placeholders of this project's stack files, with their keys.

    AWS refuses one, or nobody reaches it, minutes into an `up`.
    """
    if not isinstance(settings.cluster, EksClusterSettings):
        return
    for cidr in settings.cluster.public_cidrs:
        if cidr.startswith(_DOCUMENTS):
            why = "a placeholder that belongs to nobody (RFC 5737); type the address that `up` comes from"
            yield Notice(f"cluster.publicCidrs = {cidr}: {why}", warns=True)
    for index, pool in enumerate(settings.node_pools):
        if pool.purchase and reservation_id(pool.purchase) == _RESERVATION:
            why = "a placeholder; type the id that the purchase printed"
            yield Notice(f"nodePools[{index}].purchase.id = {_RESERVATION}: {why}", warns=True)


def _reader_for(
    settings: ClusterSettings, cluster: ClusterReader, kubeconfigs: Sequence[str]
) -> Callable[[], ClusterReader]:
    """Return what looks at the cluster while the program runs, which may make it and its kubeconfig."""
    context, made_by = settings.context, settings.context_made_by
    return lambda: ClusterReader(context, content=kubeconfigs[-1], once=made_by) if made_by else cluster


def _refuse(source: str, problems: Sequence[Problem]) -> None:
    if problems:
        raise SettingsError({source: problems})


def _configured_settings(config: pulumi.Config, source: str) -> object:
    text = config.get(SETTINGS_KEY)
    key = config.full_key(SETTINGS_KEY)
    if text is None:
        raise SettingsError({source: [Problem(key, None, "is missing: the stack has no settings")]})
    if pulumi.runtime.is_config_secret(key):
        raise SettingsError({source: [secret_problem()]})
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return text


def _configured_token(config: pulumi.Config, source: str) -> pulumi.Output[str] | None:
    token = config.get_secret(TOKEN_KEY)
    if token is not None and not pulumi.runtime.is_config_secret(config.full_key(TOKEN_KEY)):
        raise SettingsError({source: [plain_token_problem()]})
    return token
