"""A planted token, searched for in every place where Pulumi, Helm, the lab or this project writes."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.lab_stack import LabStack

pytestmark = [pytest.mark.lab, pytest.mark.essential]

TOKEN = "hf_PlantedTokenThatMustNotLeak0123"
FORMS = (TOKEN.encode(), base64.b64encode(TOKEN.encode()))


@pytest.fixture(scope="module")
def printed(stack: LabStack) -> str:
    """Everything that a person sees while the stack comes up with a token, changes, and is looked at."""
    config = stack.lab.run(
        "pulumi", "config", "set", "--secret", "hfToken", "--stack", "dev", "--non-interactive",
        cwd=stack.project, stdin=TOKEN,
    )  # fmt: skip
    answers = [config, stack.up("--diff", "--logtostderr", "-v=3")]
    answers += [
        stack.pulumi("preview", "--diff", "--json"),
        stack.pulumi("refresh", "--yes", "--diff"),
        stack.pulumi("stack", "--show-ids", "--show-urns"),
        stack.pulumi("stack", "export"),
        stack.pulumi("stack", "history", "--json"),
        *(stack.dynamo_stack(command, "dev") for command in ("explain", "render", "check")),
        stack.dynamo_stack("render", "dev", "--to", "rendered"),
    ]
    return "".join(answer.stdout + answer.stderr for answer in answers)


def _files(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        yield from (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def test_the_token_reaches_the_cluster_and_the_job_that_needs_it(stack: LabStack, printed: str) -> None:
    assert printed
    secret = stack.lab.get("secret", "hf-token-secret", "-n", "gpt-oss")
    assert base64.b64decode(secret["data"]["HF_TOKEN"]).decode() == TOKEN
    job = stack.lab.get("job", "model-download", "-n", "gpt-oss")
    assert "hf-token-secret" in str(job["spec"]["template"]["spec"])


def test_nothing_that_a_command_printed_holds_the_token(printed: str) -> None:
    for form in FORMS:
        assert form.decode() not in printed


def test_no_file_of_state_history_backup_log_or_rendering_holds_the_token(
    stack: LabStack, printed: str
) -> None:
    assert printed
    lab = stack.lab.directory
    # The cluster's own database is left out: a Kubernetes Secret is stored there, as on every cluster.
    folders = [
        lab.backend,
        lab.pulumi_home,
        lab.processes,
        lab.home,
        lab.charts,
        lab.kwok / "clusters" / "lab" / "logs",
    ]
    searched = [*_files(*folders, stack.project / "rendered"), *stack.project.glob("*.yaml")]
    kinds = {path.relative_to(lab.backend).parts[1] for path in searched if path.is_relative_to(lab.backend)}
    assert {"stacks", "history", "backups"} <= kinds
    leaks = [str(path) for path in searched if any(form in path.read_bytes() for form in FORMS)]
    assert leaks == []


def test_no_process_of_the_lab_was_told_the_token_on_its_command_line_or_in_its_environment(
    stack: LabStack, printed: str
) -> None:
    assert printed
    told = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            content = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if str(stack.lab.directory.root).encode() in content and any(form in content for form in FORMS):
            told.append(content)
    assert told == []
