"""Compose projects as the specification's schema and Compose's own loader read them."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml
from check_jsonschema.builtin_schemas import get_builtin_schema

from cli.yaml_text import to_yaml
from compose.options import Network
from lab.toolchain.build import cache_directory, executables
from tests.compose.projects import SETTINGS, project
from tests.support.dev_settings import disagg_b200_settings

if TYPE_CHECKING:
    from pathlib import Path

CASES = [(stack, network) for stack in SETTINGS for network in Network]


def written(folder: Path, document: dict[str, Any]) -> Path:
    file = folder / "compose.yaml"
    file.write_text(to_yaml(document), encoding="utf-8")
    return file


def loaded(file: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """What `docker compose config` makes of it, by the library that it does it with."""
    program = executables(cache_directory())["compose-config"]
    return subprocess.run(
        [str(program)],
        cwd=file.parent,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_every_project_is_valid_by_the_specification_s_schema() -> None:
    schema = jsonschema.Draft202012Validator(get_builtin_schema("vendor.compose-spec"))
    for stack, network in CASES:
        # As it is written and read.
        document = yaml.safe_load(to_yaml(dict(project(SETTINGS[stack](), network).document)))
        assert [each.message for each in schema.iter_errors(document)] == [], (stack, network)


@pytest.mark.engine
@pytest.mark.parametrize(("stack", "network"), CASES, ids=str)
def test_compose_reads_a_project_as_it_is_meant(tmp_path: Path, stack: str, network: Network) -> None:
    made = project(SETTINGS[stack](), network)
    answer = loaded(written(tmp_path, dict(made.document)), MODEL_CACHE="/data/models")
    assert answer.returncode == 0, answer.stderr
    services = json.loads(answer.stdout)["services"]
    for name in services.keys() - {"etcd", "nats"}:
        assert "/data/models" in [mount.get("source") for mount in services[name]["volumes"]]
    worker = next(each for each in services.values() if "deploy" in each)
    if stack != "server":
        flag = "--model" if "vLLM" in stack else "--model-path"
        assert f'{flag} "$MODEL_PATH"' in worker["command"][-1]
    assert "$$" not in answer.stdout


@pytest.mark.engine
def test_compose_refuses_a_model_of_others_that_nobody_has_named(tmp_path: Path) -> None:
    settings = disagg_b200_settings()
    settings["model"] = {"source": {"kind": "existingVolume", "claimName": "weights"}}
    del settings["modelCache"]
    answer = loaded(written(tmp_path, dict(project(settings).document)))
    assert answer.returncode != 0
    assert "the directory that holds the model" in answer.stderr + answer.stdout
