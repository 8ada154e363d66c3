"""docs/compose.md shows what `dynamo-stack compose` prints, and the tables name what there is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compose.options import Discovery, Network
from tests.cli.command import ROOT, Command
from tests.compose.projects import SETTINGS, project

if TYPE_CHECKING:
    from pathlib import Path

GUIDE = (ROOT / "docs" / "compose.md").read_text(encoding="utf-8")


def shown(command: str) -> list[str]:
    """The lines that the guide shows after a command, until the next one."""
    found = re.search(rf"^\$ {re.escape(command)}\n(.*?)^(?:\$ |```)", GUIDE, re.DOTALL | re.MULTILINE)
    assert found is not None, command
    return found[1].splitlines()


def rows(heading: str) -> set[str]:
    """The words in backticks of the first column of the table with this heading."""
    table = GUIDE.partition(heading)[2].partition("\n\n")[0]
    return {word for line in table.splitlines()[2:] for word in re.findall(r"`([^`]+)`", line.split("|")[1])}


def test_a_project_is_written_as_the_guide_shows(command: Command, tmp_path: Path) -> None:
    (tmp_path / "Pulumi.dev.yaml").write_text((ROOT / "Pulumi.dev.yaml").read_text())
    answer = command("compose", "dev", folder=tmp_path)
    assert (answer.code, answer.out.splitlines()) == (0, shown("dynamo-stack compose dev"))


def test_a_stack_of_several_hosts_is_refused_as_the_guide_shows(command: Command) -> None:
    answer = command("compose", "disagg-gb200-two-trays")
    assert (answer.code, answer.err.splitlines()) == (2, shown("dynamo-stack compose disagg-gb200-two-trays"))


def test_every_service_and_choice_stands_in_the_guide() -> None:
    services = {name for make in SETTINGS.values() for name in project(make()).document["services"]}
    assert services - {"worker-2"} == rows("| service | what it does |")
    options = rows("| option | effect |")
    for choice in (
        *(f"--discovery {each.value}" for each in Discovery),
        *(f"--network {each.value}" for each in Network),
    ):
        assert choice in options


def test_every_name_that_can_be_set_stands_in_the_guide() -> None:
    names = {
        name
        for make in SETTINGS.values()
        for name in re.findall(r"^#?([A-Z_]+)=", project(make()).files[".env.example"], re.MULTILINE)
    }
    assert names == rows("| name | meaning |")
