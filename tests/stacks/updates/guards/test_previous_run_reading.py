"""Reading the state while the engine writes it."""

from itertools import repeat
from typing import Any
from unittest.mock import Mock

import pulumi
import pytest

from stacks.updates.guards import previous_run
from stacks.updates.guards.fixed_at_creation import OUTPUT_NAME
from stacks.updates.guards.previous_run import PreviousRun

IN_THE_MIDDLE_OF_A_WRITE = Exception("readStackOutputs failed: failed to load checkpoint: EOF")


@pytest.fixture
def invoke(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """The engine's functions."""
    invoked = Mock()
    monkeypatch.setattr(pulumi.runtime, "invoke", invoked)
    monkeypatch.setattr(previous_run, "_PAUSE_SECONDS", 0)
    return invoked


def test_a_state_that_is_being_written_is_read_again(invoke: Mock) -> None:
    found = Mock(value={"outputs": {"size": 1}})
    invoke.side_effect = [*repeat(IN_THE_MIDDLE_OF_A_WRITE, 3), found]
    assert previous_run.outputs_of("other") == {"size": 1}


def test_a_state_that_stays_unreadable_ends_the_run_in_plain_words(invoke: Mock) -> None:
    invoke.side_effect = IN_THE_MIDDLE_OF_A_WRITE
    with pytest.raises(pulumi.RunError) as refusal:
        previous_run.previous_run()
    assert invoke.call_count == 20
    for text in ("cannot be read", "checkpoint: EOF", "pulumi stack export", "nothing was changed"):
        assert text in str(refusal.value)


STACK = "urn:pulumi:mine::dynamo-stack::"
OF_THE_PROGRAM: dict[str, dict[str, Any]] = {
    f"{STACK}pulumi:pulumi:Stack::dynamo-stack-mine": {},
    f"{STACK}pulumi:providers:aws::account": {},
    f"{STACK}dynamo-stack:components:Network::network": {},
}


def test_settings_bind_from_the_first_thing_that_was_made_with_them() -> None:
    outputs = {OUTPUT_NAME: {"cluster.accountId": "210987654321"}}
    assert PreviousRun(outputs, OF_THE_PROGRAM).fixed is None
    made = {**OF_THE_PROGRAM, f"{STACK}dynamo-stack:components:Network$aws:ec2/vpc:Vpc::network-vpc": {}}
    assert PreviousRun(outputs, made).fixed == outputs[OUTPUT_NAME]
