"""What the comparison says of a change of stack dev, and what happens when the lab applies it.

Pods and the download are simulated: they load nothing and are ready at once. So whether serving is
interrupted is compared, and for how long is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.comparison.applied.deployed import Deployed
from tests.comparison.applied.outcome import nothing, predicted
from tests.comparison.applied.surroundings import SURROUNDINGS, nothing_else
from tests.comparison.changed_stacks import all_cases, seen
from tests.serving_stacks.rehearsal import prepared

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.comparison.changed_stacks import Case
    from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

# A claim that has grown never shrinks again, so nothing can come after it.
LAST = "cache-larger"
CASES = sorted(
    (case for case in all_cases() if case.stack == "dev"), key=lambda case: (case.name == LAST, case.name)
)


@pytest.fixture(scope="module")
def deployed(lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    with prepared(lab, tmp_path_factory.mktemp("changes"), "dev") as stack:
        yield Deployed(stack)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_said_of_a_change_is_what_happens(
    case: Case, deployed: Deployed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said = deployed.compared(case, tmp_path, monkeypatch)
    with SURROUNDINGS.get(case.name, nothing_else)(deployed, tmp_path):
        applied = deployed.apply(case)
    refused = seen(said).get("refused", [])
    assert applied.is_refused is bool(refused), applied.said
    assert [setting for setting in refused if setting not in applied.said] == []
    expected = nothing(applied.outcome.used_gpus[0]) if refused else predicted(said)
    assert applied.outcome == expected
