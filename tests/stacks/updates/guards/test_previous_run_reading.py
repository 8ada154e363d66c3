"""Reading the state while the engine writes it."""

from itertools import repeat
from typing import Any
from unittest.mock import Mock

import pulumi
import pytest

from stacks.updates.guards.fixed_at_creation import OUTPUT_NAME
from stacks.updates.guards.previous_run import PreviousRun, read_again_while_written

IN_THE_MIDDLE_OF_A_WRITE = Exception("readStackOutputs failed: failed to load checkpoint: EOF")


def test_a_state_that_is_being_written_is_read_again() -> None:
    read = Mock(side_effect=[*repeat(IN_THE_MIDDLE_OF_A_WRITE, 3), "outputs"])
    assert read_again_while_written(read, pause_seconds=0) == "outputs"


def test_a_state_that_stays_unreadable_ends_the_run_in_plain_words() -> None:
    read = Mock(side_effect=IN_THE_MIDDLE_OF_A_WRITE)
    with pytest.raises(pulumi.RunError) as refusal:
        read_again_while_written(read, attempts=5, pause_seconds=0)
    assert read.call_count == 5
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
