import re
from pathlib import Path

import pytest

from cli.report import MARK
from tests.cli.command import Command, run_process, write_stack
from tests.cli.golden import DAY
from tests.explain.elements import parsed
from tests.support.shipped_stacks import shipped_settings

PLANTED = "hf_planted0token0that0nobody0may0see"


def test_the_page_is_written_with_its_folders_and_again_over_itself_and_nothing_else(
    command: Command, tmp_path: Path
) -> None:
    file = tmp_path / "pages" / "dev.html"
    for _ in range(2):
        answer = command("report", "dev", "--to", file)
        assert (answer.code, answer.err) == (0, "")
        assert re.fullmatch(rf"{file}: \d+ KB; open it in a browser\n", answer.out)
    text = file.read_text(encoding="utf-8")
    assert text.startswith(f"{MARK}\n<!doctype html>\n")
    assert next(parsed(text).all("h1")).text == "dev"
    file.write_text("<p>mine</p>")
    answer = command("report", "dev", "--to", file)
    assert (answer.code, answer.out) == (2, "")
    assert "not what `dynamo-stack report` wrote, so nothing was written" in answer.err
    assert "name another file with --to" in answer.err
    assert file.read_text() == "<p>mine</p>"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("dev", "--to", "docs"), "--to docs: is a folder"),
        (("dev", "--to", "docs"), "try: --to docs/dev.html"),
        (("dev", "--to", "pages/dev.txt"), "try: --to pages/dev.html"),
        (("dev", "--to", "README.md/dev.html"), "README.md\n  is no folder\n  try: move it, or name"),
        (("dev",), "--to"),
        (("nobody", "--to", "x.html"), "nobody"),
    ],
    ids=["a folder", "a file in it", "another suffix", "a file as its folder", "no file", "no stack"],
)
def test_what_cannot_be_written_is_said_in_a_sentence(
    command: Command, arguments: tuple[str, ...], said: str
) -> None:
    answer = command("report", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert "Traceback" not in answer.err


def test_no_secret_of_the_stack_file_and_of_the_environment_comes_onto_the_page(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "PULUMI_CONFIG_PASSPHRASE"):
        monkeypatch.setenv(name, PLANTED)
    write_stack(tmp_path, shipped_settings("disagg-b200-tcp"), hfToken={"secure": f"v1:{PLANTED}"})
    file = tmp_path / "dev.html"
    answer = command("report", "dev", "--to", file, folder=tmp_path)
    assert (answer.code, answer.err) == (0, "")
    text = file.read_text(encoding="utf-8")
    assert "Secret" in text
    assert PLANTED not in text


@pytest.mark.slow
def test_a_page_has_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    for seed in ("1", "2"):
        file = str(tmp_path / f"{seed}.html")
        answer = run_process("report", "dev", "--to", file, PYTHONHASHSEED=seed, SOURCE_DATE_EPOCH=DAY)
        assert answer.code == 0, answer.err
    assert (tmp_path / "1.html").read_bytes() == (tmp_path / "2.html").read_bytes()
