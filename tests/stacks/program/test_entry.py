"""What `pulumi up` refuses before it registers anything, from the configuration that an engine hands over."""

import json
from pathlib import Path

import pulumi
import pytest
from pulumi.runtime import set_all_config

from components.cluster_reader import ClusterReader
from resource_graph.recorder import record
from stacks.program import entry
from stacks.program.entry import main
from stacks.updates.running import running_of
from tests.components.recorded import recorded
from tests.stacks.changed_settings import changed
from tests.support.clusters import SILENT, Told
from tests.support.dev_settings import all_lines_settings, dev_settings, resolved
from tests.support.eks_settings import eks_b200_settings

SETTINGS, TOKEN = "dynamo-stack:settings", "dynamo-stack:hfToken"


def _refusal(config: dict[str, str], secrets: list[str] | None = None) -> str:
    def program() -> None:
        set_all_config(config, secrets)
        main()

    with pytest.raises(pulumi.RunError) as raised:
        record(program, project="dynamo-stack", stack="other")
    return str(raised.value)


def _typed(change: dict[str, object]) -> dict[str, str]:
    return {SETTINGS: json.dumps(changed(dev_settings(), change))}


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({}, "Pulumi.other.yaml: dynamo-stack:settings\n  is missing: the stack has no settings"),
        ({SETTINGS: "off"}, "must be a mapping of settings"),
        ({SETTINGS: "[1]"}, "must be a mapping of settings"),
        (
            _typed({"nodePools[0].nodes": "one"}),
            "Pulumi.other.yaml: nodePools[0].nodes = 'one'\n  this is text\n  allowed: a whole number",
        ),
        (_typed({"modelCache.size": "20Gi"}), "which needs 67Gi"),
        (_typed({}) | {TOKEN: "hf_planted"}, "the token stands there in plain text"),
    ],
)
def test_settings_that_cannot_work_are_refused_by_the_stack_s_own_file(
    config: dict[str, str], says: str
) -> None:
    text = _refusal(config)
    assert says in text
    assert "hf_planted" not in text


def test_a_secret_anywhere_in_the_settings_is_refused_without_being_shown() -> None:
    # The engine has decrypted it by the time the program sees it.
    text = _refusal(_typed({"cluster.context": "planted-secret"}), [SETTINGS])
    assert "settings hold no secrets" in text
    assert "planted-secret" not in text


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"cluster.context": "dynamo-lba"},
            "Pulumi.other.yaml: cluster.context = 'dynamo-lba'\n"
            "  there is no such context in {file}\n"
            "  allowed: dynamo-lab\n"
            "  try: dynamo-lab",
        ),
        (
            {"cluster.server": "https://10.0.0.1:6443"},
            "Pulumi.other.yaml: cluster.server = 'https://10.0.0.1:6443'\n"
            "  context dynamo-lab leads to another cluster, https://10.9.9.9:6443; nothing was",
        ),
    ],
)
def test_a_context_that_is_not_there_or_leads_to_another_cluster_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, object], says: str
) -> None:
    file = tmp_path / "config"
    file.write_text(
        "contexts: [{name: dynamo-lab, context: {cluster: c}}]\n"
        "clusters: [{name: c, cluster: {server: 'https://10.9.9.9:6443'}}]\n"
    )
    monkeypatch.setenv("KUBECONFIG", str(file))
    assert _refusal(_typed(change)).startswith(says.format(file=file))


def test_a_wait_looks_at_the_cluster_that_the_program_has_just_made() -> None:
    before, settings = ClusterReader("before"), resolved(eks_b200_settings()).settings.cluster
    learnt = [""]
    reader = entry._reader_for(settings, before, learnt)
    assert reader().content == ""
    learnt.append("kubeconfig")
    made = reader()
    assert (made.context, made.content, made.once) == (
        settings.context,
        "kubeconfig",
        settings.context_made_by,
    )
    assert entry._reader_for(resolved().settings.cluster, before, learnt)() is before


def test_a_platform_that_would_leave_out_a_minor_release_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = all_lines_settings()
    resources = {each.urn: {"__inputs": dict(each.inputs)} for each in recorded(before)}
    monkeypatch.setattr(entry, "last_run", lambda: running_of(resources, {}))
    # No cluster is asked.
    for asks, answer in {
        "cluster_problems": (),
        "cluster_of_state": Told({"nodes": SILENT}),
        "scaled_notices": (),
        "look_for_losses": None,
    }.items():
        monkeypatch.setattr(entry, asks, lambda *_, answer=answer: answer)
    text = _refusal({SETTINGS: json.dumps(changed(before, {"platform.version": "1.4.2"}))})
    assert text.startswith(
        "Pulumi.other.yaml: platform.version = '1.4.2'\n  1.2.1 runs, and Dynamo supports no step"
    )
