"""Reading the state while the engine writes it."""

import pulumi
import pytest

from stacks.guards.previous_outputs import read_again_while_written


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
