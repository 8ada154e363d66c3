"""`dynamo-stack preflight --policy`, which asks nobody."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.command import Command, write_stack
from tests.support.dev_settings import dev_settings
from tests.support.eks_settings import eks_b200_settings


@pytest.fixture(autouse=True)
def without_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    write_stack(tmp_path, eks_b200_settings())
    write_stack(tmp_path, dev_settings(), "existing")


def test_a_previewer_s_policy_is_one_document_to_paste(command: Command, tmp_path: Path) -> None:
    answer = command("preflight", "dev", "--policy", "previewer", folder=tmp_path)
    assert answer.code == 0
    assert json.loads(answer.out)["Version"] == "2012-10-17"
    assert answer.err == (
        "not in it: where the state lies, and the key of its secrets; with s3:// and awskms:// "
        "s3:ListBucket, s3:GetObject, kms:Decrypt\n"
    )


def test_a_deployer_s_policies_are_as_many_as_iam_needs_and_it_says_so(
    command: Command, tmp_path: Path
) -> None:
    answer = command("preflight", "dev", "--policy", "deployer", folder=tmp_path)
    assert answer.code == 0
    # As docs/workflows.md has it divided into files.
    policies = re.split(r"^(?={$)", answer.out, flags=re.MULTILINE)[1:]
    assert [json.loads(policy)["Version"] for policy in policies] == ["2012-10-17"] * 2
    first, second = answer.err.splitlines()
    assert first == "2 policies, for IAM takes 6,144 characters in one: attach all"
    assert "s3:PutObject, s3:DeleteObject, kms:Decrypt" in second


@pytest.mark.parametrize(
    ("stack", "options", "says"),
    [
        ("dev", ("--policy", "deployer", "--json"), "--policy prints JSON already"),
        ("existing", ("--policy", "deployer", "--bind-claim"), "and --policy asks nothing"),
        ("dev", ("--bind-claim",), "goes with a cluster that exists"),
        (
            "existing",
            ("--policy", "deployer"),
            "stack existing uses a cluster that exists: there is nothing to ask an account\n",
        ),
    ],
)
def test_a_policy_that_nobody_needs_is_refused_in_words(
    command: Command, tmp_path: Path, stack: str, options: tuple[str, ...], says: str
) -> None:
    answer = command("preflight", stack, *options, folder=tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert says in answer.err
