"""An update that fails half way is taken back: what was there before is there again, and nothing else."""

from collections.abc import Iterator
from typing import Any

import pytest

from lab.dynamo_operator.switches import GRAPH_NEVER_READY
from tests.serving_stacks.rehearsal import SETTINGS, prepared
from tests.stacks.changed_settings import AGGREGATED, Change, changed
from tests.support.lab_stack import LabStack
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

NAMESPACE = "gpt-oss"
# Kinds that the program asks for and that are called after the graph or after their content.
KINDS = "configmaps,networkpolicies,dynamographdeployments.nvidia.com"
READY_SECONDS = 5


@pytest.fixture(scope="module")
def stack(lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    with prepared(lab, tmp_path_factory.mktemp("updates"), "dev") as made:
        _up(made)
        yield made


def _up(stack: LabStack, *, check: bool = True) -> Any:
    return stack.pulumi("up", "--yes", "--skip-preview", check=check)


def _fail(stack: LabStack, change: Change) -> None:
    """Types the change, ends its `up` before the graph is ready, and types what was there before."""
    before = stack.settings()
    wrong = changed(before["config"][SETTINGS], change, {"serving.readyTimeoutSeconds": READY_SECONDS})
    switch = stack.lab.directory.switches / GRAPH_NEVER_READY
    switch.touch()
    stack.write_settings(changed(before, {"config": before["config"] | {SETTINGS: wrong}}))
    try:
        assert _up(stack, check=False).returncode != 0
    finally:
        switch.unlink()
        stack.write_settings(before)


def _named(stack: LabStack) -> set[str]:
    found = stack.lab.get(KINDS, "-n", NAMESPACE)["items"]
    names = {f"{item['kind']} {item['metadata']['name']}" for item in found}
    return names - {"ConfigMap kube-root-ca.crt"}


@pytest.mark.parametrize(
    ("change", "graphs"),
    [(AGGREGATED, 1), (AGGREGATED | {"serving.pool": "gb200"}, 2)],
    ids=["another graph instead", "another graph beside"],
)
def test_a_change_that_fails_is_taken_back(stack: LabStack, change: Change, graphs: int) -> None:
    before = _named(stack)
    _fail(stack, change)
    assert len([name for name in _named(stack) - before if name.startswith("ConfigMap")]) == 1
    assert len([name for name in _named(stack) if name.startswith("DynamoGraphDeployment")]) == graphs
    _up(stack)
    assert _named(stack) == before
    # The state knows all of it, and nothing waits in it to be deleted by the next run.
    stack.pulumi("preview", "--expect-no-changes")
