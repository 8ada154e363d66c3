"""Reading the state while the engine writes it."""

from itertools import repeat
from unittest.mock import Mock

import pulumi
import pytest

from stacks.updates import last_run

IN_THE_MIDDLE_OF_A_WRITE = Exception("readStackOutputs failed: failed to load checkpoint: EOF")


@pytest.fixture
def invoke(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """The engine's functions."""
    invoked = Mock()
    monkeypatch.setattr(pulumi.runtime, "invoke", invoked)
    monkeypatch.setattr(last_run, "_PAUSE_SECONDS", 0)
    return invoked


def test_a_state_that_is_being_written_is_read_again(invoke: Mock) -> None:
    found = Mock(value={"outputs": {"size": 1}})
    invoke.side_effect = [*repeat(IN_THE_MIDDLE_OF_A_WRITE, 3), found]
    assert last_run.outputs_of("other") == {"size": 1}


def test_a_state_that_stays_unreadable_ends_the_run_in_plain_words(invoke: Mock) -> None:
    invoke.side_effect = IN_THE_MIDDLE_OF_A_WRITE
    with pytest.raises(pulumi.RunError) as refusal:
        last_run.last_run()
    assert invoke.call_count == 20
    for text in ("cannot be read", "checkpoint: EOF", "pulumi stack export", "nothing was changed"):
        assert text in str(refusal.value)
