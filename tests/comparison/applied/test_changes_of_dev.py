"""What the comparison says of a change of stack dev, and what happens when the lab applies it.

Pods and the download are simulated: they load nothing and are ready at once. So whether serving is
interrupted is compared, and for how long is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.comparison.applied.deployed import Deployed
from tests.comparison.applied.judgement import assert_that_it_happens, cases_of
from tests.comparison.applied.outcome import predicted
from tests.serving_stacks.rehearsal import prepared

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.comparison.changed_stacks import Case
    from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]


@pytest.fixture(scope="module")
def deployed(lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    with (
        prepared(lab, tmp_path_factory.mktemp("changes"), "dev") as stack,
        pytest.MonkeyPatch.context() as patch,
    ):
        yield Deployed(stack, patch)


def test_the_engines_own_preview_says_of_a_change_what_the_comparison_says(
    deployed: Deployed, tmp_path: Path
) -> None:
    [case] = [case for case in cases_of("dev") if case.name == "engine-override"]
    said = deployed.compared(case, tmp_path)
    assert deployed.previewed() == predicted(said).operations


@pytest.mark.parametrize("case", cases_of("dev"), ids=lambda case: case.name)
def test_what_is_said_of_a_change_is_what_happens(case: Case, deployed: Deployed, tmp_path: Path) -> None:
    assert_that_it_happens(case, deployed, tmp_path)
