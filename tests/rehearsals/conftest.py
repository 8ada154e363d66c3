"""One rehearsal a module, of the stack that the module's EXPECTED describes."""

from collections.abc import Iterator

import pytest

from lab.directory import REPOSITORY
from lab.rehearsal import rehearsal
from tests.comparison.applied.deployed import Deployed
from tests.rehearsals.shipped import Expected, Shipped
from tests.support.sandbox import Sandbox


@pytest.fixture(scope="module")
def shipped(request: pytest.FixtureRequest, engine: Sandbox) -> Iterator[Shipped]:
    """Built, and up to date; the tests of a module go on from each other and end with its removal."""
    assert engine
    expected: Expected = request.module.EXPECTED
    with rehearsal(expected.stack) as run:
        file = (REPOSITORY / f"Pulumi.{expected.stack}.yaml").read_bytes()
        yield Shipped(run, expected, file, {step.name: step for step in run.building(print)})


@pytest.fixture(scope="module")
def deployed(shipped: Shipped) -> Iterator[Deployed]:
    """The same, for changes that are compared and previewed."""
    with pytest.MonkeyPatch.context() as patch:
        yield Deployed(shipped.stack, patch)
