"""A stack that makes its own cluster and was never deployed: nothing has an id, and no cluster answers."""

import re
from collections.abc import Iterator

import pytest

from lab import aws_cloud, cluster, control_plane
from tests.eks.conftest import SETTINGS, changing_requests, prepared
from tests.support.lab_stack import POLICY, LabStack
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def stack(engine: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    # Another test may have given that lab a cluster by now; this one has none.
    assert engine
    lab = Sandbox.at(tmp_path_factory.mktemp("lab")).directory
    cluster.prepare(lab, say=print)
    try:
        yield prepared(lab, tmp_path_factory.mktemp("never-deployed"))
    finally:
        aws_cloud.down(lab)


def test_the_first_preview_asks_no_cluster_changes_no_account_and_breaks_no_policy(stack: LabStack) -> None:
    lab = stack.lab.directory
    assert not control_plane.exists(lab)
    preview = stack.pulumi("preview", *POLICY)
    said = preview.stdout + preview.stderr
    assert re.search(r"\+ \d+ to create", said), said
    assert "[mandatory]" not in said, said
    # Of what is unknown before the first `up`, no rule needs anything: these two no preview can tell.
    undecided = said.split("These rules have neither passed nor failed\n")[1].splitlines()[0]
    assert undecided.endswith("`dynamo-stack check` judges state-retained, secrets-marked-secret.")
    assert changing_requests(lab) == []
    assert not control_plane.exists(lab)


def test_credentials_of_another_account_end_up_in_one_sentence(stack: LabStack) -> None:
    lab, content = stack.lab.directory, stack.settings()
    content["config"][SETTINGS]["cluster"]["accountId"] = "210987654321"
    stack.write_settings(content)
    assert "AWS account ID not allowed: 123456789012" in stack.failing_up()
    assert changing_requests(lab) == []
    # Nothing was made, so the account can still be put right.
    content["config"][SETTINGS]["cluster"]["accountId"] = "123456789012"
    stack.write_settings(content)
    assert "to create" in stack.pulumi("preview").stdout
