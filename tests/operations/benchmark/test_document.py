from operations.benchmark.document import DOCUMENT, benchmark_files_document


def test_the_page_of_the_files_is_what_the_models_say() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == benchmark_files_document(), (
        "run `python -m operations.benchmark.document`"
    )
