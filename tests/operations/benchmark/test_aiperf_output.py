"""What is read of the lines that AIPerf 0.13.0 prints."""

from operations.benchmark.aiperf_output import LoadProgress, failure_reason, read_progress

EXIT_ERRORS = """\
08:22:37.759 ERROR    Failed to handle command profile_configure: no such host (base_component_service.py:522)
╭─ AIPerf System Exit Errors ──────────────────────╮
│ • Service: record_processor_aae6adea             │
│    Operation: Configure Profiling                │
│    Error: CommandError                           │
│    Reason: Failed to load tokenizer 'mine':      │
│            it is not there                       │
│                                                  │
│ • Service: system_controller                     │
│    Reason: HookError                             │
╰──────────────────────────────────────────────────╯
Log File: /results/logs/aiperf.log
""".splitlines()
ALL_FAILED = """\
08:23:22.382 ERROR    Error in aiohttp request: Cannot connect to host 127.0.0.1:8001
08:23:23.136 ERROR    All 20 inference request(s) failed; no successful responses were collected.
│    Reason: All 20 inference request(s) failed.   │
╰──────────────────────────────────────────────────╯
""".splitlines()


def test_a_bar_says_how_far_the_load_is() -> None:
    bar = "Profiling: 18/20 |\x1b[32m█████████ \x1b[0m|  90% [00:00<00:00]"
    assert read_progress(bar) == LoadProgress("Profiling", 18, 20)
    assert read_progress("Warmup: 0/4 |\x1b[33m   \x1b[0m|   0% [00:00<?]") == LoadProgress("Warmup", 0, 4)


def test_thousands_are_read_with_their_commas() -> None:
    assert read_progress("Profiling: 1,024/36,000 |") == LoadProgress("Profiling", 1024, 36000)


def test_the_last_of_several_bars_in_one_line_counts() -> None:
    assert read_progress("Warmup: 4/4 | Profiling: 3/20 |") == LoadProgress("Profiling", 3, 20)


def test_another_line_says_nothing_of_the_progress() -> None:
    assert read_progress("08:22:26.201 INFO     AIPerf System is PROFILING") is None
    assert read_progress("Processing Records: 4/20 |") is None


def test_the_first_reason_that_aiperf_gives_is_the_reason() -> None:
    assert failure_reason(EXIT_ERRORS) == "Failed to load tokenizer 'mine': it is not there"


def test_where_every_request_failed_the_error_of_one_is_named() -> None:
    assert failure_reason(ALL_FAILED) == (
        "All 20 inference request(s) failed. The last of them: Error in aiohttp request: Cannot connect to "
        "host 127.0.0.1:8001"
    )


def test_without_a_reason_the_last_words_count() -> None:
    assert failure_reason(["Traceback", "ImportError: no crick", "", "Profiling: 3/20 |"]) == (
        "ImportError: no crick"
    )
    assert failure_reason([]) == "it says nothing"
