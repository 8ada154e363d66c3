"""A stack's file with another value: what changes is that value, and nothing else of the file."""

import stat
from pathlib import Path

import pytest

from lab.directory import REPOSITORY
from stacks.errors import SettingsError
from stacks.settings import edit
from stacks.settings.edit import read_text, replace_text, with_value

KEY = "platform.version"
NAME = "Pulumi.mine.yaml"
WITH_PLATFORM = sorted(
    file
    for file in REPOSITORY.glob("Pulumi.*.yaml")
    if "\n    platform:\n" in file.read_text(encoding="utf-8")
)


def _file(platform: str, before: str = "") -> str:
    head = f"{before}config:\n  dynamo-stack:settings:\n"
    return f"{head}    platform:{platform}\n    lifecycle: disposable # last\n"


def _refusal(text: str) -> str:
    with pytest.raises(SettingsError) as raised:
        with_value(text, KEY, "1.4.2", NAME)
    return str(raised.value)


@pytest.mark.parametrize("file", WITH_PLATFORM, ids=lambda file: file.stem)
def test_one_line_of_a_shipped_stack_changes_and_every_comment_stays(file: Path) -> None:
    text = read_text(file)
    lines = with_value(text, KEY, "9.8.7", file.name).splitlines()
    changed = [(old, new) for old, new in zip(text.splitlines(), lines, strict=True) if old != new]
    assert changed == [('      version: "1.2.1"', '      version: "9.8.7"')]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('\n      version: "1.2.1"', '\n      version: "1.4.2"'),
        ("\n      version: '1.2.1' # ours", "\n      version: '1.4.2' # ours"),
        ("\n      version: 1.2.1", "\n      version: 1.4.2"),
        (' {kind: own, version: "1.2.1", x: ü}', ' {kind: own, version: "1.4.2", x: ü}'),
        ('\n      "version":   "1.2.1"   # ü', '\n      "version":   "1.4.2"   # ü'),
    ],
)
def test_quotes_blanks_and_comments_stay_as_they_were(written: str, expected: str) -> None:
    before = "# ünlike ASCII, and a version: 1.2.1 in a comment 🙂\n"
    assert with_value(_file(written, before), KEY, "1.4.2", NAME) == _file(expected, before)


def test_ends_of_lines_of_another_system_stay(tmp_path: Path) -> None:
    file = tmp_path / NAME
    file.write_bytes(_file('\n      version: "1.2.1"').replace("\n", "\r\n").encode())
    replace_text(file, with_value(read_text(file), KEY, "1.4.2", NAME))
    assert file.read_bytes() == _file('\n      version: "1.4.2"').replace("\n", "\r\n").encode()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (_file(" *shared", 'x: &shared {version: "1.2.1"}\n'), 1),
        (_file("\n      version: *shared", 'x: &shared "1.2.1"\n'), 1),
        (_file('\n      version: &shared "1.2.1"\n      other: *shared'), 4),
        (_file("\n      <<: *shared", 'x: &shared {version: "1.2.1"}\n'), 3),
        (_file("\n      version: |-\n        1.2.1"), 4),
    ],
    ids=["alias", "aliased value", "anchor", "merge", "block"],
)
def test_a_value_that_others_share_is_left_to_a_person(text: str, line: int) -> None:
    message = _refusal(text)
    assert message.startswith(f"{NAME}:{line}: {KEY}\n")
    assert message.endswith(f'try: write {KEY}: "1.4.2" by hand')


def test_a_link_to_a_stack_file_stays_a_link_and_its_mode_stays(tmp_path: Path) -> None:
    real, link = tmp_path / "elsewhere" / NAME, tmp_path / NAME
    real.parent.mkdir()
    real.write_text("old", encoding="utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    replace_text(link, "new")
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert list(real.parent.iterdir()) == [real]


def test_a_disk_that_is_full_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / NAME
    file.write_text("old", encoding="utf-8")
    monkeypatch.setattr(edit.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        replace_text(file, "new")
    assert file.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [file]
