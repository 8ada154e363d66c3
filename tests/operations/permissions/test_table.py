"""Every type of resource that a stack here has, and every question of preflight, has its rights."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, Any

import pytest

from operations.permissions.right import Holder, reads
from operations.permissions.table import RIGHTS
from operations.preflight import account
from tests.operations.permissions.made import actions, recordings
from tests.stacks.plan.infrastructure.committed_operations import eks_stacks
from tests.support.eks_settings import eks_b200_settings
from tests.support.eks_settings_of_every_kind import eks_settings_of_every_kind
from tests.support.shipped_stacks import shipped_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIXES = {"service-quotas": "servicequotas"}


def settings_of_all() -> Iterator[dict[str, Any]]:
    """The shipped stacks that make a cluster, and those that tests make up."""
    yield from map(shipped_settings, eks_stacks())
    yield eks_settings_of_every_kind()
    for storage in ({"kind": "ebs"}, {"kind": "instanceStore"}):
        settings = eks_b200_settings()
        settings["modelCache"] |= {"size": "200Gi", "storage": storage}
        yield settings


def test_every_type_that_a_stack_has_is_in_the_table() -> None:
    types = {
        each.type
        for settings in settings_of_all()
        for graph in recordings(settings)
        for each in graph
        if each.type.startswith("aws:")
    }
    assert len(types) > 30
    assert types - RIGHTS.keys() == set()


def test_whatever_has_a_type_can_be_read_by_those_who_preview() -> None:
    for kind, rights in RIGHTS.items():
        assert any(reads(action) for _, actions in rights.all for action in actions), kind


@pytest.mark.parametrize("holder", Holder)
def test_preflight_may_ask_all_its_questions(holder: Holder) -> None:
    granted = actions(eks_b200_settings(), holder)
    questions = set(asked_by_preflight())
    assert len(questions) > 10
    # Which is allowed to everybody.
    assert questions - granted == {"sts:GetCallerIdentity"}


def asked_by_preflight() -> Iterator[str]:
    """Read the source: each question names its service and its operation."""
    for node in ast.walk(ast.parse(inspect.getsource(account))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "_ask":
            service, operation = (ast.literal_eval(each) for each in node.args[:2])
            yield f"{_PREFIXES.get(service, service)}:{operation.title().replace('_', '')}"
