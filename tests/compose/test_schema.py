"""Compose projects as the specification's schema and Compose's own loader read them."""

import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml
from check_jsonschema.builtin_schemas import get_builtin_schema

from cli.yaml_text import to_yaml
from lab.toolchain.build import cache_directory, executables
from tests.compose.projects import SETTINGS, project


def test_every_project_is_valid_by_the_specification_s_schema() -> None:
    schema = jsonschema.Draft202012Validator(get_builtin_schema("vendor.compose-spec"))
    for stack, settings in SETTINGS.items():
        # As it is written and read.
        document = yaml.safe_load(to_yaml(dict(project(settings())[0])))
        assert [each.message for each in schema.iter_errors(document)] == [], stack


@pytest.mark.engine
@pytest.mark.parametrize("stack", SETTINGS)
def test_compose_reads_a_project_as_it_is_meant(tmp_path: Path, stack: str) -> None:
    document, _ = project(SETTINGS[stack]())
    (tmp_path / "compose.yaml").write_text(to_yaml(dict(document)), encoding="utf-8")
    # What `docker compose config` makes of it, by the library that it does it with.
    answer = subprocess.run(
        [str(executables(cache_directory())["compose-config"])],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "MODEL_CACHE": "/data/models"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert answer.returncode == 0, answer.stderr
    services = json.loads(answer.stdout)["services"]
    for name in services.keys() - {"etcd", "nats"}:
        assert "/data/models" in [mount.get("source") for mount in services[name]["volumes"]]
    worker = next(each for each in services.values() if "deploy" in each)
    if stack != "server":
        flag = "--model" if "vLLM" in stack else "--model-path"
        assert f'{flag} "$MODEL_PATH"' in worker["command"][-1]
    assert "$$" not in answer.stdout
