"""`dynamo-stack preflight --policy`, which asks nobody."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Command, write_stack
from tests.support.eks_settings import eks_b200_settings


def documents(text: str) -> list[dict[str, Any]]:
    """The policies one after the other."""
    decoder, found = json.JSONDecoder(), []
    while text := text.lstrip():
        document, end = decoder.raw_decode(text)
        found.append(document)
        text = text[end:]
    return found


@pytest.fixture(autouse=True)
def without_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    write_stack(tmp_path, eks_b200_settings())


def test_a_previewer_s_policy_is_one_document_to_paste(command: Command, tmp_path: Path) -> None:
    answer = command("preflight", "dev", "--policy", "previewer", folder=tmp_path)
    assert answer.code == 0
    [policy] = documents(answer.out)
    assert policy["Version"] == "2012-10-17"
    assert answer.err == (
        "not in it: where the state lies, and the key of its secrets; with s3:// and awskms:// "
        "s3:ListBucket, s3:GetObject, kms:Decrypt\n"
    )


def test_a_deployer_s_policies_are_as_many_as_iam_needs_and_it_says_so(
    command: Command, tmp_path: Path
) -> None:
    answer = command("preflight", "dev", "--policy", "deployer", folder=tmp_path)
    assert answer.code == 0
    assert len(documents(answer.out)) == 2
    first, second = answer.err.splitlines()
    assert first == "2 policies, for IAM takes 6,144 characters in one: attach all"
    assert "s3:PutObject, s3:DeleteObject, kms:Decrypt" in second
    # As docs/workflows.md has it divided into files.
    assert [line for line in answer.out.splitlines() if line.startswith("{")] == ["{", "{"]


def test_it_prints_json_without_being_asked(command: Command, tmp_path: Path) -> None:
    answer = command("preflight", "dev", "--policy", "deployer", "--json", folder=tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert "--policy prints JSON already" in answer.err


def test_a_stack_on_a_cluster_that_exists_needs_nothing_of_an_account(command: Command) -> None:
    answer = command("preflight", "dev", "--policy", "deployer")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "stack dev uses a cluster that exists: there is nothing to ask an account\n"
