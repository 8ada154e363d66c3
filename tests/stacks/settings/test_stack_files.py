"""A stack file that cannot be read as settings at all, and the text that a person reads."""

from pathlib import Path

import pytest

from lab.directory import REPOSITORY
from stacks.errors import SettingsError
from stacks.settings.load import load_stack

DEV = (REPOSITORY / "Pulumi.dev.yaml").read_text(encoding="utf-8")


def _refused(folder: Path, text: str, stack: str = "other") -> str:
    (folder / "Pulumi.other.yaml").write_text(text)
    with pytest.raises(SettingsError) as raised:
        load_stack(stack, folder)
    return str(raised.value)


def test_a_stack_without_a_file_names_the_stacks_that_there_are(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("")
    with pytest.raises(SettingsError, match="try: run this in a checkout of the project"):
        load_stack("othre", tmp_path)
    text = _refused(tmp_path, "", "othre")
    assert text.startswith("Pulumi.othre.yaml\n  there is no stack 'othre'")
    assert text.endswith("allowed: other\n  try: other")
    (tmp_path / "Pulumi.folder.yaml").mkdir()
    assert _refused(tmp_path, "", "folder") == "Pulumi.folder.yaml\n  is no regular file"


@pytest.mark.parametrize(
    ("typed", "wrong", "line"),
    [
        ("        instanceType", "       instanceType", 29),
        ("        instanceType", "         instanceType", 29),
        ("      namespace", "     namespace", 40),
        ("      namespace", "    namespace", 42),
    ],
)
def test_a_line_that_is_indented_wrongly_is_named(tmp_path: Path, typed: str, wrong: str, line: int) -> None:
    said = _refused(tmp_path, DEV.replace(typed, wrong, 1))
    assert said.startswith(f"Pulumi.other.yaml:{line}\n  not a stack file: ")


def test_a_block_that_is_indented_too_far_is_said_to_belong_to_the_outermost_one(tmp_path: Path) -> None:
    first, serving = DEV.split("    serving:\n")
    block, rest = serving.split("    # `destroy`")
    deeper = "".join(f"  {line}\n" for line in block.splitlines())
    said = _refused(tmp_path, f"{first}      serving:\n{deeper}    # {rest}")
    assert said.startswith(
        "Pulumi.other.yaml: modelCache.serving\n"
        "  there is no setting 'serving' here; it belongs to the outermost block\n"
    )


def test_a_key_that_blocks_beside_it_know_is_said_to_belong_into_them(tmp_path: Path) -> None:
    said = _refused(tmp_path, DEV.replace("    platform:\n", "    platform:\n      storageClassName: x\n"))
    assert "no setting 'storageClassName' here; it belongs to platform.nats or platform.etcd\n" in said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("config:\n  a: [1\n", "Pulumi.other.yaml:2\n  not a stack file: ", id="no YAML"),
        pytest.param(
            "config:\n  dynamo-stack:settings:\n    cluster: {}\n    cluster: {}\n",
            "Pulumi.other.yaml:4\n  not a stack file: the key 'cluster' stands twice in one mapping",
            id="a key twice",
        ),
        pytest.param(
            "config:\n  dynamo-stack:setings: {}\n",
            "config.dynamo-stack:setings\n  there is no such configuration key\n"
            "  allowed: dynamo-stack:settings, dynamo-stack:hfToken\n  try: dynamo-stack:settings",
            id="a misspelt key",
        ),
        pytest.param(
            "encryptionsalt: x\n",
            "Pulumi.other.yaml: config\n  a stack file has a mapping `config`",
            id="no configuration",
        ),
        pytest.param(
            "config:\n  dynamo-stack:hfToken: hf_planted\n  dynamo-stack:settings: {}\n",
            "dynamo-stack:hfToken\n  the token stands there in plain text",
            id="a token in plain text",
        ),
    ],
)
def test_a_file_that_cannot_be_read_as_settings_is_named_with_its_line_or_key(
    tmp_path: Path, text: str, says: str
) -> None:
    said = _refused(tmp_path, text)
    assert says in said
    assert "hf_planted" not in said


def test_an_encrypted_token_is_no_concern_of_the_settings(tmp_path: Path) -> None:
    text = DEV.replace("config:\n", "config:\n  dynamo-stack:hfToken: {secure: v1:x}\n", 1)
    (tmp_path / "Pulumi.dev.yaml").write_text(text)
    assert load_stack("dev", tmp_path) == load_stack("dev", REPOSITORY)
