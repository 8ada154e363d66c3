from pathlib import Path

from recipes import supervisor_script
from recipes.engine_files import EngineFiles, engine_files
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.placed_recipes import in_one_pod


def _files(**prefill: int) -> EngineFiles:
    settings = disagg_b200_settings()
    settings["serving"] |= {"overrides": {"prefill": prefill}}
    return engine_files(resolved(settings).serving.placed)


def test_the_supervisor_of_workers_that_share_a_pod_comes_with_their_files() -> None:
    files = engine_files(in_one_pod()).data
    assert set(files) == {"prefill.yaml", "decode.yaml", "supervisor.py"}
    assert files["supervisor.py"] == Path(supervisor_script.__file__).read_text(encoding="utf-8")


def test_another_content_has_another_name() -> None:
    before, after = _files(), _files(max_batch_size=65)
    assert before.name != after.name
    assert before.data["decode.yaml"] == after.data["decode.yaml"]


def test_the_same_content_keeps_its_name() -> None:
    assert _files().name == _files().name == "gpt-oss-disagg-engine-5bf3fe4aa5"
