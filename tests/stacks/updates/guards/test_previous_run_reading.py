"""Reading the state while the engine writes it."""

import pulumi
import pytest

from stacks.updates.guards.fixed_at_creation import OUTPUT_NAME
from stacks.updates.guards.previous_run import PreviousRun, read_again_while_written


class StateInTheMiddleOfAWrite:
    """Fails as the engine does for some reads, then answers."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.reads = 0

    def read(self) -> str:
        self.reads += 1
        if self.reads <= self.failures:
            raise Exception("readStackOutputs failed: failed to load checkpoint: EOF")  # noqa: TRY002 - the SDK's
        return "outputs"


def test_a_state_that_is_being_written_is_read_again() -> None:
    state = StateInTheMiddleOfAWrite(failures=3)
    assert read_again_while_written(state.read, pause_seconds=0) == "outputs"
    assert state.reads == 4


def test_a_state_that_stays_unreadable_ends_the_run_in_plain_words() -> None:
    state = StateInTheMiddleOfAWrite(failures=1000)
    with pytest.raises(pulumi.RunError) as refusal:
        read_again_while_written(state.read, attempts=5, pause_seconds=0)
    assert state.reads == 5
    for text in ("cannot be read", "checkpoint: EOF", "pulumi stack export", "nothing was changed"):
        assert text in str(refusal.value)


OUTPUTS = {OUTPUT_NAME: {"cluster.accountId": "210987654321"}}
STACK = "urn:pulumi:mine::dynamo-stack::"
OF_THE_PROGRAM: dict[str, dict[str, object]] = {
    f"{STACK}pulumi:pulumi:Stack::dynamo-stack-mine": {},
    f"{STACK}pulumi:providers:aws::account": {},
    f"{STACK}dynamo-stack:components:Network::network": {},
}


def test_settings_with_which_nothing_was_made_bind_nobody() -> None:
    assert PreviousRun(OUTPUTS, OF_THE_PROGRAM).fixed is None


def test_settings_bind_from_the_first_thing_that_was_made_with_them() -> None:
    made = {**OF_THE_PROGRAM, f"{STACK}dynamo-stack:components:Network$aws:ec2/vpc:Vpc::network-vpc": {}}
    assert PreviousRun(OUTPUTS, made).fixed == OUTPUTS[OUTPUT_NAME]
