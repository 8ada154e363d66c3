"""The provider resource: its inputs, and when a change makes it another provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lab.conformance.toy import Toy

_PROGRAM = """
    provider = k8s.Provider("p", kubeconfig={kubeconfig!r}, {more})
    k8s.core.v1.ConfigMap("c", metadata=named("c"), opts=options(provider=provider))
"""


def test_a_provider_input_that_does_not_exist_is_refused(toy: Toy) -> None:
    output = toy.failing_up("""
        pulumi.CustomResource("pulumi:providers:kubernetes", "p", {"kubecontext": "x"},
                              options(version="4.32.0"))
    """)
    assert "unknown provider input 'kubecontext'" in output


def test_another_cluster_replaces_everything_and_another_user_or_file_nothing(toy: Toy) -> None:
    same, renamed_user, other = (_kubeconfig(toy, name) for name in ("same", "user", "other"))
    _change(renamed_user, lambda config: config["users"][0]["user"].update({"username": "somebody"}))
    _change(other, lambda config: config["clusters"][0]["cluster"].update({"server": "https://127.0.0.1:1"}))
    toy.up(_PROGRAM.format(kubeconfig=str(same), more=""))
    for path, answer in ((renamed_user, "~ 1 to update"), (other, "+-2 to replace")):
        assert answer in toy.preview(_PROGRAM.format(kubeconfig=str(path), more=""))
    assert toy.state("c")["id"] == f"{toy.namespace}/c"


def test_a_cluster_identifier_that_stays_keeps_the_provider(toy: Toy) -> None:
    same, other = _kubeconfig(toy, "same"), _kubeconfig(toy, "other")
    _change(other, lambda config: config["clusters"][0]["cluster"].update({"server": "https://localhost:1"}))
    identified = 'cluster_identifier="one"'
    toy.up(_PROGRAM.format(kubeconfig=str(same), more=identified))
    assert "to replace" not in toy.preview(_PROGRAM.format(kubeconfig=str(other), more=identified))
    assert "+-2 to replace" in toy.preview(
        _PROGRAM.format(kubeconfig=str(same), more='cluster_identifier="two"')
    )


def test_a_cluster_on_another_machine_is_refused(toy: Toy) -> None:
    foreign = _kubeconfig(toy, "foreign")
    _change(
        foreign,
        lambda config: config["clusters"][0]["cluster"].update({"server": "https://203.0.113.7:6443"}),
    )
    output = toy.failing("preview", program=_PROGRAM.format(kubeconfig=str(foreign), more=""))
    assert "https://203.0.113.7:6443, which is not this machine" in output


def _kubeconfig(toy: Toy, name: str) -> Path:
    path = toy.folder / f"{name}.yaml"
    path.write_text(toy.lab.directory.kubeconfig.read_text())
    return path


def _change(path: Path, change: object) -> None:
    config = yaml.safe_load(path.read_text())
    assert callable(change)
    change(config)
    path.write_text(yaml.safe_dump(config))
