"""One release of the platform for all tests of a file, and no graph before or after a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lab.dynamo_operator.clusters import GRAPHS, NAMESPACE, Cluster, install, names, uninstall, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.sandbox import Sandbox


@pytest.fixture(scope="module")
def release(lab: Sandbox) -> Iterator[Sandbox]:
    """The platform's release, installed; graphs go into a namespace of their own."""
    lab.kubectl("create", "namespace", GRAPHS)
    install(lab)
    yield lab
    # While the operator is there to let go, and whole: the next file begins with the same names.
    lab.kubectl("delete", "namespace", GRAPHS, "--timeout=60s")
    uninstall(lab)
    lab.kubectl("delete", "namespace", NAMESPACE, "--timeout=60s")


@pytest.fixture
def cluster(release: Sandbox, tmp_path: Path) -> Iterator[Cluster]:
    """The cluster without any graph, before and after."""
    yield Cluster(release, tmp_path)
    for switch in release.directory.switches.iterdir():
        switch.unlink()
    release.kubectl("delete", "dynamographdeployments", "--all", "--namespace", GRAPHS, "--timeout=30s")
    # The garbage collector's part has a test of its own; here it would cost up to half a minute.
    for kind in ("dynamocomponentdeployments", "deployments", "services"):
        release.kubectl("delete", kind, "--all", "--namespace", GRAPHS, "--timeout=30s")
    until(release, "no pod left", lambda: names(release, "pods") == [])
