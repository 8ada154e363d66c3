"""What `pulumi up` refuses before it registers anything, from the configuration that an engine hands over."""

import json
from pathlib import Path

import pulumi
import pytest
from pulumi.runtime import set_all_config

from resource_graph.recorder import record
from stacks.program import entry
from stacks.program.entry import main
from stacks.updates.guards.previous_run import PreviousRun
from tests.components.recorded import recorded
from tests.support.clusters import SILENT, Told
from tests.support.dev_settings import all_lines_settings, dev_settings

SETTINGS, TOKEN = "dynamo-stack:settings", "dynamo-stack:hfToken"
GOOD = json.dumps(dev_settings())


def _refusal(config: dict[str, str], secrets: list[str] | None = None) -> str:
    def program() -> None:
        set_all_config(config, secrets)
        main()

    with pytest.raises(pulumi.RunError) as raised:
        record(program, project="dynamo-stack", stack="other")
    return str(raised.value)


def test_a_stack_without_settings_is_refused() -> None:
    assert _refusal({}) == "Pulumi.other.yaml: dynamo-stack:settings\n  is missing: the stack has no settings"


def test_settings_that_are_no_mapping_are_refused() -> None:
    assert "must be a mapping of settings" in _refusal({SETTINGS: "off"})
    assert "must be a mapping of settings" in _refusal({SETTINGS: "[1]"})


def test_a_bad_setting_names_the_stacks_own_file() -> None:
    settings = dev_settings()
    settings["nodePools"][0]["nodes"] = "one"
    assert _refusal({SETTINGS: json.dumps(settings)}) == (
        "Pulumi.other.yaml: nodePools[0].nodes = 'one'\n  this is text\n  allowed: a whole number"
    )


def test_a_stack_that_cannot_work_is_refused() -> None:
    settings = dev_settings()
    settings["modelCache"]["size"] = "20Gi"
    assert "which needs 67Gi" in _refusal({SETTINGS: json.dumps(settings)})


def test_a_secret_anywhere_in_the_settings_is_refused_without_being_shown() -> None:
    settings = dev_settings()
    # The engine has decrypted it by the time the program sees it.
    settings["cluster"]["context"] = "planted-secret"
    text = _refusal({SETTINGS: json.dumps(settings)}, [SETTINGS])
    assert "settings hold no secrets" in text
    assert "planted-secret" not in text


def test_a_token_that_is_not_encrypted_is_refused_without_being_shown() -> None:
    text = _refusal({SETTINGS: GOOD, TOKEN: "hf_planted"})
    assert "the token stands there in plain text" in text
    assert "hf_planted" not in text


def test_a_context_that_the_kubeconfig_does_not_have_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").write_text("contexts: [{name: gb200-east, context: {cluster: c}}]\n")
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    settings = dev_settings()
    settings["cluster"]["context"] = "gb200-aest"
    assert _refusal({SETTINGS: json.dumps(settings)}) == (
        "Pulumi.other.yaml: cluster.context = 'gb200-aest'\n"
        f"  there is no such context in {tmp_path}/config\n"
        "  allowed: gb200-east\n"
        "  try: gb200-east"
    )


def test_a_context_that_leads_to_another_cluster_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").write_text(
        "contexts: [{name: dynamo-lab, context: {cluster: c}}]\n"
        "clusters: [{name: c, cluster: {server: 'https://10.9.9.9:6443'}}]\n"
    )
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    settings = dev_settings()
    settings["cluster"]["server"] = "https://10.0.0.1:6443"
    text = _refusal({SETTINGS: json.dumps(settings)})
    assert "context dynamo-lab leads to another cluster, https://10.9.9.9:6443" in text


def test_a_platform_that_would_leave_out_a_minor_release_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = all_lines_settings()
    resources = {each.urn: {"__inputs": dict(each.inputs)} for each in recorded(before)}
    monkeypatch.setattr(entry, "previous_run", lambda: PreviousRun({}, resources))
    # No cluster is asked.
    for asks, answer in {
        "cluster_problems": (),
        "cluster_of_state": Told({"nodes": SILENT}),
        "scaled_notices": (),
        "look_for_losses": None,
    }.items():
        monkeypatch.setattr(entry, asks, lambda *_, answer=answer: answer)
    after = all_lines_settings()
    after["platform"]["version"] = "1.4.2"
    text = _refusal({SETTINGS: json.dumps(after)})
    assert text.startswith(
        "Pulumi.other.yaml: platform.version = '1.4.2'\n  1.2.1 runs, and Dynamo supports no step"
    )
