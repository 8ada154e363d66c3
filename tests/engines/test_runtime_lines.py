"""What is known of each line of the runtime, held against the options that were read of it."""

import pytest

from engines.command_options import option_values
from engines.release import release_line
from engines.runtime_lines import RUNTIME_LINES


@pytest.mark.parametrize("name", RUNTIME_LINES)
def test_the_event_plane_of_a_line_is_one_that_its_frontend_takes(name: str) -> None:
    line = RUNTIME_LINES[name]
    known = option_values("dynamo.frontend")["--event-plane"].by_line[release_line(line.version.value)]
    assert line.event_plane.value in known
