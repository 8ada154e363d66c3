import json

import jsonschema

from operations.benchmark.document import DOCUMENT, SCHEMA, benchmark_files_document, result_schema_text
from operations.benchmark.recording import RESULT_FILE
from tests.operations.benchmark.made_results import result

OUTDATED = "run `python -m operations.benchmark.document`"


def test_the_page_of_the_files_is_what_the_models_say() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == benchmark_files_document(), OUTDATED


def test_the_schema_of_a_result_is_the_models_own_and_takes_what_a_run_writes() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == result_schema_text(), OUTDATED
    written = json.loads(result().model_dump_json(by_alias=True))
    jsonschema.Draft7Validator(json.loads(result_schema_text())).validate(written)
    assert not jsonschema.Draft7Validator(json.loads(result_schema_text())).is_valid(written | {"gpus": "8"})


def test_the_page_leads_to_the_schema() -> None:
    section = benchmark_files_document().split(f"## {RESULT_FILE}\n")[1].split("\n## ")[0]
    assert f"(schemas/{SCHEMA.name})" in section
