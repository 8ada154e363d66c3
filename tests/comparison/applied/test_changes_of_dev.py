"""What the comparison says of a change of stack dev, what the engine previews, and what the lab makes of it.

Pods and the download are simulated: they load nothing and are ready at once. So whether serving is
interrupted is compared, and for how long is not.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.comparison.applied.deployed import Deployed
from tests.comparison.applied.judgement import (
    assert_that_it_happens,
    assert_that_the_engine_says_so_too,
    cases_of,
    previewed_cases,
)
from tests.comparison.changed_stacks import Case
from tests.serving_stacks.rehearsal import prepare
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

# One of each class of what can be said: an outcome is read off a cluster in the same way for all of a class.
APPLIED = {
    "argument-of-the-frontend": "the frontend's pods roll, and serving goes on",
    "cache-smaller": "the update is refused, and nothing changes",
    "engine-override": "a new engine file comes, and all workers roll",
    "recipe": "a graph goes with all that is its own, and another one comes on fewer GPUs",
}


@pytest.fixture(scope="module")
def deployed(own_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    _add_another_context(own_lab.directory.kubeconfig)
    with pytest.MonkeyPatch.context() as patch:
        yield Deployed(prepare(own_lab, tmp_path_factory.mktemp("changes"), "dev"), patch)


@pytest.mark.parametrize("case", previewed_cases("dev"), ids=lambda case: case.name)
def test_the_engine_previews_what_is_said_of_a_change(case: Case, deployed: Deployed, tmp_path: Path) -> None:
    assert_that_the_engine_says_so_too(case, deployed, tmp_path)


@pytest.mark.parametrize(
    "case", [case for case in cases_of("dev") if case.name in APPLIED], ids=lambda case: case.name
)
def test_what_is_said_of_a_change_is_what_happens(case: Case, deployed: Deployed, tmp_path: Path) -> None:
    assert_that_it_happens(case, deployed, tmp_path)


def _add_another_context(file: Path) -> None:
    """`other`, of a cluster that nobody asks in a preview."""
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    [context] = config["contexts"]
    config["contexts"].append({"name": "other", "context": context["context"]})
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
