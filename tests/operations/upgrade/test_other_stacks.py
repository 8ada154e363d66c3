"""Stacks beside an upgraded one that have to follow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operations.upgrade.other_stacks import following_stacks, owners_version
from tests.cli.command import write_stack
from tests.support.dev_settings import agg_gb200_settings

if TYPE_CHECKING:
    from pathlib import Path


def _layers(folder: Path) -> None:
    settings = agg_gb200_settings()
    write_stack(folder, settings | {"layers": ["platform"]}, name="dynamo")
    for name, owner in (("first", "dynamo"), ("second", "dynamo"), ("third", "another")):
        joined = settings | {"layers": ["serving"], "layerStacks": {"platform": owner}}
        write_stack(folder, joined, name=name)
    write_stack(folder, settings, name="alone")


def test_stacks_that_join_the_platform_follow_its_owner_and_no_others(tmp_path: Path) -> None:
    _layers(tmp_path)
    assert following_stacks("dynamo", tmp_path) == ("first", "second")
    assert following_stacks("first", tmp_path) == ()


def test_a_file_that_cannot_be_used_neither_follows_nor_says_a_release(tmp_path: Path) -> None:
    _layers(tmp_path)
    (tmp_path / "Pulumi.first.yaml").write_text("config: [", encoding="utf-8")
    (tmp_path / "Pulumi.dynamo.yaml").write_text("config: {}", encoding="utf-8")
    assert following_stacks("dynamo", tmp_path) == ("second",)
    assert owners_version("dynamo", tmp_path) is None
    assert owners_version("alone", tmp_path) == "1.2.1"
    assert owners_version("nobody", tmp_path) is None
