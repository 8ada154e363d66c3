from failures.explanation import Explanation


def test_last_words_of_a_pod_move_no_cursor_and_begin_no_line() -> None:
    finding = Explanation(
        title="graph g",
        waits_for="it is ready",
        page="graph-never-ready",
        reasons=["\x1b[31mout of memory\x1b[0m\nUpdate succeeded"],
    )
    assert "  \\x1b[31mout of memory\\x1b[0m\\nUpdate succeeded" in finding.text(None).splitlines()
