"""The guide of the page shows what the command prints, and its picture is one of the page as it is."""

import re
import shlex
from pathlib import Path

from tests.cli.command import ROOT, Command
from tests.explain.elements import parsed

GUIDE = ROOT / "docs" / "report.md"


def test_the_command_of_the_guide_prints_what_the_guide_shows(command: Command, tmp_path: Path) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    shown = re.search(r"```console\n\$ (.+)\n(.+)\n```", text)
    assert shown is not None
    typed = shlex.split(shown[1])
    file = tmp_path / Path(typed[-1]).name
    answer = command(*typed[1:-1], file)
    assert answer.code == 0
    assert answer.out.replace(str(file), typed[-1]) == f"{shown[2]}\n"


def test_the_guide_names_every_part_of_the_page(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    assert command("report", "disagg-gb200-two-trays", "--to", file).code == 0
    [nav] = parsed(file.read_text(encoding="utf-8")).all("nav")
    rows = re.findall(r"^\| ([a-zA-Z ]+) \|", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    parts = {link.text.lower() for link in nav.all("a")} - {"pods"}
    assert {part for part in parts if not any(row.lower().startswith(part) for row in rows)} == set()


def test_the_picture_of_the_guide_is_there_and_small() -> None:
    [picture] = re.findall(r"!\[[^\]]+\]\((.+?)\)", GUIDE.read_text(encoding="utf-8"))
    assert (GUIDE.parent / picture).stat().st_size <= 250_000
