import shutil
from pathlib import Path

import pytest

from cli.sized_stack import BASES
from tests.cli.command import ROOT, Command, read_document, squeezed

LONG = ("size", "--input", "8192", "--output", "1024")


def test_the_layout_with_most_tokens_a_gpu_within_the_limits_stands_first(command: Command) -> None:
    answer = command(*LONG, "--tpot", "15ms", "--ttft", "1s", "--gpu", "B200", "--rate", "20/s")
    assert answer.code == 0, answer.err
    said = squeezed(answer.out)
    assert "B200 TP2 tensorrt-llm 1.2.0rc2 128 4,495 123 ms 13.9 ms 6 0.88" in said
    assert "by SemiAnalysis InferenceX" in said
    assert said.index("B200 TP2 tensorrt-llm") < said.index("B200 TP1 tensorrt-llm")


def test_where_no_layout_keeps_the_limits_it_says_so(command: Command) -> None:
    answer = command(*LONG, "--tpot", "3ms", "--ttft", "10ms", "--gpu", "B200")
    assert answer.code == 1
    said = squeezed(answer.out)
    assert "no measured layout serves 8192/1024 on B200 within 3 ms between tokens" in said


def test_lengths_that_nobody_has_measured_are_not_computed(command: Command) -> None:
    answer = command("size", "--input", "3000", "--output", "400", "--json")
    assert answer.code == 1
    document = read_document("size", answer.out)
    assert (document["shape"], document["layouts"]) == (None, [])
    assert len(document["nearest"]) == 2


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("--tpot", "15"), "'15' cannot be read; give one such as 15ms or 1.5s"),
        (("--ttft", "0s"), "'0s' cannot be read; give one such as 15ms or 1.5s"),
        (("--rate", "20"), "'20' cannot be read; give one such as 20/s"),
        (("--gpu", "A100"), "nobody has measured 'A100'; measured: B200, GB200, H100, H200"),
        (
            ("--to", "mine.yaml"),
            "--to mine.yaml: a stack's file is named Pulumi.STACK.yaml try: --to Pulumi.mine.yaml",
        ),
        (("--to", "pulumi.mine.yml"), "a stack's file is named Pulumi.STACK.yaml try: --to Pulumi.mine.yaml"),
        (("--to", ""), "a stack's file is named Pulumi.STACK.yaml try: --to Pulumi.mine.yaml"),
        (("--gpu", "b20"), "measured: B200, GB200, H100, H200; the nearest is B200"),
    ],
)
def test_what_cannot_be_read_is_said_with_an_example(
    command: Command, typed: tuple[str, str], said: str
) -> None:
    answer = command(*LONG, *typed)
    assert (answer.code, answer.out) == (2, "")
    assert said in squeezed(answer.err.replace("│", " "))


@pytest.mark.parametrize(
    ("typed", "serving"),
    [
        (
            ("--gpu", "B200", "--tpot", "15ms", "--ttft", "1s", "--rate", "30/s"),
            ["recipe: gpt-oss-120b/trtllm-agg", "worker: 4", "tensor_parallel_size: 2"],
        ),
        (("--gpu", "H100"), ["recipe: gpt-oss-120b/vllm-agg", "worker: 4", "tensor_parallel_size: 2"]),
        (
            ("--gpu", "GB200", "--tpot", "5ms", "--gpus", "8"),
            ["recipe: gpt-oss-120b/trtllm-disagg", "prefill: 1", "decode: 1", "kvTransport: mnnvl"],
        ),
        (
            ("--gpu", "GB200", "--tpot", "15ms", "--ttft", "1s"),
            ["recipe: gpt-oss-120b/trtllm-disagg-one-pod", "prefill: 2", "decode: 1", "version: 1.4.2"],
        ),
    ],
)
def test_a_stack_of_the_layout_is_written_that_every_rule_passes(
    command: Command, tmp_path: Path, typed: tuple[str, ...], serving: list[str]
) -> None:
    for name in BASES.values():
        shutil.copy(ROOT / f"Pulumi.{name}.yaml", tmp_path)
    answer = command(*LONG, *typed, "--to", "Pulumi.mine.yaml", folder=tmp_path)
    assert answer.code == 0, answer.err
    written = (tmp_path / "Pulumi.mine.yaml").read_text()
    assert [line for line in serving if line not in written] == []
    checked = command("check", "mine", folder=tmp_path)
    assert checked.code == 0, checked.out
    assert "passed: 0 mandatory" in checked.out
    again = command(*LONG, *typed, "--to", "Pulumi.mine.yaml", folder=tmp_path)
    assert again.code == 2
    assert "Pulumi.mine.yaml: exists, and nothing is overwritten" in again.err


def test_a_layout_that_no_recipe_makes_gives_way_to_the_best_that_one_makes(
    command: Command, tmp_path: Path
) -> None:
    shutil.copy(ROOT / "Pulumi.disagg-gb200-two-trays.yaml", tmp_path)
    answer = command(*LONG, "--gpu", "GB200", "--tpot", "8ms", "--to", "Pulumi.mine.yaml", folder=tmp_path)
    assert answer.code == 0, answer.err
    assert "no recipe of the catalogue makes 2 prefill TP1 + 1 decode TP4" in answer.err
    assert "1 prefill TP1 + 1 decode TP4 by gpt-oss-120b/trtllm-disagg" in answer.err


def test_more_than_one_pod_of_a_layout_that_is_one_pod_is_more_stacks(
    command: Command, tmp_path: Path
) -> None:
    shutil.copy(ROOT / "Pulumi.disagg-gb200-two-trays.yaml", tmp_path)
    asked = ("--gpu", "GB200", "--tpot", "15ms", "--ttft", "1s", "--rate", "60/s")
    answer = command(*LONG, *asked, "--to", "Pulumi.mine.yaml", folder=tmp_path)
    assert "one stack is one pod of this layout; what was asked for takes 3 stacks like it" in answer.err
    assert "within 15 ms between tokens and 1,000 ms to the first: GB200" in answer.out
    assert "nodes: 1\n" in (tmp_path / "Pulumi.mine.yaml").read_text()


def test_a_stack_file_that_is_missing_or_not_as_shipped_gives_nothing(
    command: Command, tmp_path: Path
) -> None:
    text = (ROOT / "Pulumi.vllm-agg-b200.yaml").read_text(encoding="utf-8")
    for content in ("", text.replace("kind: eks", "kind: existing")):
        if content:
            (tmp_path / "Pulumi.vllm-agg-b200.yaml").write_text(content)
        answer = command(*LONG, "--gpu", "B200", "--to", "Pulumi.mine.yaml", folder=tmp_path)
        assert answer.code == 2
        assert "takes cluster, cache and its one pool from it, and it is missing or not" in answer.err
    assert not (tmp_path / "Pulumi.mine.yaml").exists()


def test_a_file_of_ones_own_points_that_is_none_is_named(command: Command, tmp_path: Path) -> None:
    (tmp_path / "measured.local.csv").write_text("gpu,users\nB200,many\n")
    answer = command(*LONG, folder=tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("measured.local.csv: not as `dynamo-stack bench --record` writes it")
