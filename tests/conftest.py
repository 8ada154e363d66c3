"""Fixtures that several rooms' tests share."""

import gc
import hashlib
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from lab import cluster, processes
from lab.directory import PROGRAM_ROOMS, REPOSITORY
from lab.toolchain.build import cache_directory, missing_modules
from tests.cli.command import Command
from tests.lab.conformance.toy import Toy
from tests.support.sandbox import Sandbox

# A test that measures time fails on a busy machine and says nothing about the code, nor does one that is red
# by the chance of a day: the same examples are tried in every run.
hypothesis.settings.register_profile(
    "untimed",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("untimed")

# A shell that runs these in the background ignores Ctrl-C for them, and nohup ignores SIGHUP; so would every
# command that a test starts and interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Tests make few cycles, and the modules that they load stay: a fifth of the time would go into looking at
# them again and again.
gc.set_threshold(100_000)

_PROGRAM = ("__main__.py", "Pulumi*.yaml")
_STAND_INS = REPOSITORY / "tests" / "lab"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test of a stand-in says nothing about the product, and need not run where the lab is as it was."""
    for item in items:
        if item.path.is_relative_to(_STAND_INS):
            item.add_marker(pytest.mark.stand_in)


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """The pulumi CLI with the lab's plugins in a sealed environment; no cluster."""
    missing = missing_modules(cache_directory())
    if missing:
        pytest.fail(f"tools not built: {', '.join(module.name for module in missing)}; run `make tools`")
    sandbox = Sandbox.at(tmp_path_factory.mktemp("lab"))
    cluster.prepare(sandbox.directory, say=print)
    processes.start(sandbox.directory, processes.FORK_SERVER)
    yield sandbox
    processes.end(sandbox.directory)


@pytest.fixture(scope="session")
def lab(engine: Sandbox) -> Iterator[Sandbox]:
    """A running simulated cluster of this test process's own, with its stand-ins."""
    try:
        cluster.up(engine.directory, say=print)
        yield engine
    finally:
        cluster.down(engine.directory)


@pytest.fixture(scope="module")
def own_lab(engine: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A cluster that no other module uses: it begins without what others leave for ever, and ends with what
    this one breaks, faster than a stack is destroyed.
    """
    assert engine
    sandbox = Sandbox.at(tmp_path_factory.mktemp("lab"))
    try:
        cluster.up(sandbox.directory, say=print)
        yield sandbox
    finally:
        cluster.down(sandbox.directory)


@pytest.fixture
def toy(lab: Sandbox, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Toy]:
    """A program, stack and namespace for one test; what it leaves is removed in the background."""
    name = "toy-" + hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:8]
    made = Toy(lab, tmp_path / "program", name)
    made.start()
    yield made
    lab.kubectl("delete", "namespace", name, "--wait=false", "--ignore-not-found", check=False)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """`dynamo-stack` in this process."""
    # Loads the whole program, which most tests do not need.
    from tests.cli.command import Command  # noqa: PLC0415

    return Command(monkeypatch, capsys)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the Pulumi project whose stack files a test may change; the code is the repository's."""
    return copy_project(tmp_path / "checkout")


def copy_project(target: Path) -> Path:
    """Copies the project's own files and links its rooms, so that tracked files never change."""
    target.mkdir(parents=True)
    for pattern in _PROGRAM:
        for file in REPOSITORY.glob(pattern):
            shutil.copy(file, target / file.name)
    for name in PROGRAM_ROOMS:
        (target / name).symlink_to(REPOSITORY / name, target_is_directory=True)
    return target
