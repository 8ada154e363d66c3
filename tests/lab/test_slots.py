"""Addresses and ports that one lab has to itself."""

import os
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from lab import slots
from lab.directory import LabDirectory
from lab.errors import LabError


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without another lab, whose ports no lab that runs meanwhile takes or gives back."""
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(slots, "_FIRST_PORT", 24_000)


def _lab(tmp_path: Path, name: str) -> LabDirectory:
    lab = LabDirectory(tmp_path / name)
    lab.create()
    return lab


def test_two_labs_share_no_address_and_no_port(tmp_path: Path) -> None:
    with slots.taken(_lab(tmp_path, "left")) as left, slots.taken(_lab(tmp_path, "right")) as right:
        assert slots.network(left.number) != slots.network(right.number)
        assert not {*slots.ports(left.number).values()} & {*slots.ports(right.number).values()}


def test_a_stopped_lab_gets_its_own_slot_again(tmp_path: Path) -> None:
    lab = _lab(tmp_path, "stopped")
    with slots.taken(lab) as before:
        pass
    with slots.taken(_lab(tmp_path, "other")) as other, slots.taken(lab) as again:
        assert again.number == before.number != other.number


def test_a_stopped_lab_starts_again_while_another_one_looks_for_a_slot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab, claim, again = _lab(tmp_path, "stopped"), slots._claim, list[int]()
    with slots.taken(lab) as before:
        pass

    def looked_at(root: Path) -> Path:
        monkeypatch.setattr(slots, "_claim", claim)
        with slots.taken(lab) as slot:
            again.append(slot.number)
        return claim(root)

    monkeypatch.setattr(slots, "_claim", looked_at)
    other = slots.first_free()
    os.close(other.descriptor)
    assert again == [before.number]
    assert other.number != before.number


def test_a_process_of_the_lab_holds_its_slot_after_the_command_that_started_it(tmp_path: Path) -> None:
    lab = _lab(tmp_path, "running")
    with slots.taken(lab) as slot:
        process = subprocess.Popen(["sleep", "60"], pass_fds=[slot.descriptor])
    try:
        slots.give_back(lab)
        other = slots.first_free()
        assert other.number != slot.number
    finally:
        process.kill()
        process.wait()
    assert slots.first_free().number == slot.number


def test_a_slot_whose_port_another_program_has_is_passed_over(tmp_path: Path) -> None:
    with slots.taken(_lab(tmp_path, "first")) as slot:
        number, port = slot.number, slots.ports(slot.number)["kubeApiserverPort"]
    slots.give_back(LabDirectory(tmp_path / "first"))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", port))
        listener.listen()
        other = slots.first_free()
    assert other.number != number
    os.close(other.descriptor)


def test_a_lab_whose_slot_another_one_has_is_told_how_to_get_another(tmp_path: Path) -> None:
    lab = _lab(tmp_path, "first")
    with slots.taken(lab) as slot:
        (_lab(tmp_path, "second").root / "slot").write_text(str(slot.number))
        with (
            pytest.raises(LabError, match=r"`make lab-down` removes this one"),
            slots.taken(LabDirectory(tmp_path / "second")),
        ):
            pytest.fail("two labs have one slot")
