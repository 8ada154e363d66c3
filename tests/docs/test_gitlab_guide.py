"""The pipeline of docs/gitlab-ci.md: valid by GitLab's schema, and each role trusts its own jobs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.toolchain.tools import PULUMI_VERSION
from tests.docs.guide import text_of

GUIDE = text_of("docs/gitlab-ci.md")


def pipeline_text() -> str:
    [file] = re.findall(r"^\$ cp (\S+) \.gitlab-ci\.yml", GUIDE, re.MULTILINE)
    return text_of(file)


def jobs() -> dict[str, Any]:
    """The jobs of the pipeline and what they share, by name."""
    found = yaml.safe_load(pipeline_text())
    return {name: job for name, job in found.items() if isinstance(job, dict)}


def test_the_guide_names_every_job_of_the_pipeline() -> None:
    named = re.findall(r"`([a-z]+)`", GUIDE.partition("| job |")[2].partition("\n\n")[0])
    assert {*named} >= {name for name, job in jobs().items() if "script" in job}


@pytest.mark.parametrize(
    ("right", "wrong", "code"), [("", "", 0), ("expose_as:", "exposed_as:", 1)], ids=["as it is", "mistake"]
)
def test_the_pipeline_is_valid_by_gitlab_s_schema(tmp_path: Path, right: str, wrong: str, code: int) -> None:
    file = tmp_path / ".gitlab-ci.yml"
    file.write_text(pipeline_text().replace(right, wrong), encoding="utf-8")
    program = str(Path(sys.executable).with_name("check-jsonschema"))
    command = [program, "--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci", str(file)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (answer.returncode, answer.stderr) == (code, ""), answer.stdout


def test_a_job_that_runs_a_merge_request_s_code_has_no_credentials() -> None:
    rules = {name: str(job["rules"]) for name, job in jobs().items() if "rules" in job}
    asked = {name for name, rule in rules.items() if "merge_request_event" in rule} - {"workflow"}
    assert asked == {"compare"}
    assert not [name for name in asked if {"id_tokens", "extends", "environment"} & set(jobs()[name])]


def trusted_subjects() -> tuple[str, ...]:
    """Whom the roles' trust policies name: the one that deploys, then the one that previews."""
    texts = re.findall(r"^```json\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
    statements = [statement for text in texts for statement in json.loads(text)["Statement"]]
    assert {each["Action"] for each in statements} == {"sts:AssumeRoleWithWebIdentity"}
    conditions = [each["Condition"] for each in statements]
    for condition in conditions:
        assert condition.keys() == {"StringEquals"}
        assert condition["StringEquals"].keys() == {"gitlab.com:aud", "gitlab.com:sub"}
    return tuple(condition["StringEquals"]["gitlab.com:sub"] for condition in conditions)


def subject_of(job: dict[str, Any]) -> str:
    """What GitLab writes into the token of a job on main: the components in order, with their values."""
    found = re.search(r'"ci_id_token_sub_claim_components": (\[.*?\])', GUIDE)
    assert found is not None
    values = {"project_path": "GROUP/PROJECT", "ref_type": "branch", "ref": "main"}
    values["deployment_tier"] = job["environment"]["deployment_tier"]
    return ":".join(f"{name}:{values[name]}" for name in json.loads(found[1]))


def test_each_role_trusts_the_jobs_that_take_it_and_no_other() -> None:
    deployer, previewer = trusted_subjects()
    assert deployer != previewer
    assert "*" not in deployer + previewer
    taking = {
        name: subject_of(job) for name, job in jobs().items() if ".credentials" in job.get("extends", [])
    }
    assert taking == {"up": deployer, "preview": previewer, "drift": previewer}


def test_the_engine_is_the_one_that_the_tests_run_on() -> None:
    assert re.findall(r"--version (\S+)", pipeline_text()) == [PULUMI_VERSION]
