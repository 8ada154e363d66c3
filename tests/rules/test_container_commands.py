import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.command_line import UNKNOWN_WORD, Word, parse_flags
from rules.reading.commands.container_commands import StartCommand, start_commands
from rules.reading.shapes import Undecided

ENVIRONMENT = {
    "TP": Word("4"),
    "FLAGS": Word("--tensor-parallel-size 4  --other"),
    "EMPTY": Word(""),
    "SECRET": UNKNOWN_WORD,
}


def commands(script: str) -> list[StartCommand]:
    return list(start_commands(["/bin/sh", "-c", script], ENVIRONMENT))


def texts(script: str) -> list[str | None]:
    (command,) = commands(f"python3 -m dynamo.trtllm {script}")
    return [word.text if word.known else None for word in command.arguments]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("--a $TP --b ${TP}", ["--a", "4", "--b", "4"]),
        ('--a "$TP x" --b "${TP}0"', ["--a", "4 x", "--b", "40"]),
        ("--a '$TP'", ["--a", "$TP"]),
        (r"--a \$TP --b a\ b", ["--a", "$TP", "--b", "a b"]),
        ("--a \\\n  --b", ["--a", "--b"]),
        ("$FLAGS", ["--tensor-parallel-size", "4", "--other"]),
        ('"$FLAGS"', ["--tensor-parallel-size 4  --other"]),
        ("$EMPTY --a", ["--a"]),
        ("--a ${MISSING:-8} --b ${TP:-8} --c ${EMPTY:-x}", ["--a", "8", "--b", "4", "--c", "x"]),
        (
            "--a $SECRET --b ${MISSING} --c $(nproc) --d `nproc` --e $1",
            ["--a", None, "--b", None, "--c", None, "--d", None, "--e", None],
        ),
        ("--a x${SECRET}y", ["--a", None]),
        ("--a ${TP%x} --b ${#TP}", ["--a", None, "--b", None]),
        ("--a # a comment", ["--a"]),
        ("--a > /tmp/log 2>&1", ["--a"]),
        ("--a 2>/dev/null | tee log", ["--a"]),
        ("--a '{\"x\": 1}'", ["--a", '{"x": 1}']),
        ("--a ${MISSING:-${TP}} --b 1", ["--a", None, "--b", "1"]),
        # Kubernetes replaces its references before the shell sees the script.
        ("--a $(TP) --b $(SECRET)", ["--a", "4", "--b", None]),
    ],
)
def test_words_are_read_as_a_shell_reads_them(script: str, words: list[str | None]) -> None:
    assert texts(script) == words


@pytest.mark.parametrize(
    "script",
    [
        "export TP=2 && exec python3 -m dynamo.trtllm --tp $TP",
        "TP=2\npython3 -m dynamo.trtllm --tp $TP",
        "set -eu; TP=2; cd /work && /usr/bin/python3 -m dynamo.trtllm --tp $TP || sleep infinity",
        "source /opt/dynamo/venv/bin/activate\nTP=2; python3 -m dynamo.trtllm --tp $TP",
        'TP=2; bash -c "python3 -m dynamo.trtllm --tp $TP"',
        "export TP=2; bash -lc 'python3 -m dynamo.trtllm --tp $TP'",
        "if true; then TP=2 python3 -m dynamo.trtllm --tp 2; fi",
        "(TP=2; python3 -m dynamo.trtllm --tp $TP)",
        "TP=2; (TP=8; nvidia-smi); python3 -m dynamo.trtllm --tp $TP",
        "TP=2; (export TP=8; (TP=16)); (true); python3 -m dynamo.trtllm --tp $TP",
        "TP=2; f() { TP=8; }\npython3 -m dynamo.trtllm --tp $TP",
        "TP=8; f() {\n  TP=2\n}\nf; python3 -m dynamo.trtllm --tp $TP",
        "TP=2; f() { local TP=8; true; }; f; python3 -m dynamo.trtllm --tp $TP",
        "serve() { python3 -m dynamo.trtllm --tp $1; }\nserve 2",
        'serve() { exec python3 -m dynamo.trtllm --tp "${1}"; }; echo ready && serve 2 3',
        "bash <<'EOF'\nTP=2\npython3 -m dynamo.trtllm --tp $TP\nEOF",
        "outer() { inner $1; }; inner() { python3 -m dynamo.trtllm --tp $1; }; outer 2",
    ],
)
def test_assignments_before_the_engine_act(script: str) -> None:
    (command,) = commands(script)
    assert [word.text for word in command.arguments] == ["--tp", "2"]


@pytest.mark.parametrize(
    "script",
    [
        "if nvidia-smi; then TP=2; fi\npython3 -m dynamo.trtllm --tp $TP",
        "nvidia-smi || TP=2\npython3 -m dynamo.trtllm --tp $TP",
        "for i in 1 2; do TP=$i; done; python3 -m dynamo.trtllm --tp $TP",
        "f() { TP=2; }\nif nvidia-smi; then f; fi; python3 -m dynamo.trtllm --tp $TP",
        "python3 -m dynamo.trtllm --tp $1",
    ],
)
def test_an_assignment_that_may_not_happen_makes_the_variable_unknown(script: str) -> None:
    (command,) = commands(script)
    assert command.arguments[-1] == UNKNOWN_WORD


@pytest.mark.parametrize(
    "script",
    [
        'eval "$X"; python3 -m dynamo.trtllm',
        ". /scripts/settings.sh; python3 -m dynamo.trtllm",
        "python3 -m dynamo.trtllm <<<text",
        "cat <<EOF\npython3 -m dynamo.trtllm",
        'cat <<EOF "a\nb"\nEOF\npython3 -m dynamo.trtllm',
        "cat <<-EOF\n\ta\n\tEOF\npython3 -m dynamo.trtllm",
        "cat <<\\EOF\na\nEOF\npython3 -m dynamo.trtllm",
        "TP=2; case $ROLE in a) TP=4;; esac; python3 -m dynamo.trtllm --tp $TP",
        'a=(--x 1)\npython3 -m dynamo.trtllm "${a[@]}"',
        'a+=(--x 1)\npython3 -m dynamo.trtllm "${a[@]}"',
        "python3 -m dynamo.trtllm '",
        'python3 -m dynamo.trtllm "',
        "python3 -m dynamo.trtllm ${X",
        'bash -c "$SECRET"',
        "f() { f; }; f; python3 -m dynamo.trtllm",
        pytest.param("a" * 200_000 + "\npython3 -m dynamo.trtllm", id="longer than an argument can be"),
    ],
)
def test_what_only_a_shell_can_follow_is_undecided(script: str) -> None:
    with pytest.raises(Undecided, match="the start script"):
        commands(script)


def test_without_a_shell_only_kubernetes_references_are_replaced() -> None:
    words = "--a $(TP) --b $TP --c $$(TP) --d $(MISSING)"
    (command,) = start_commands(["python3", "-m", "dynamo.trtllm", *words.split()], ENVIRONMENT)
    assert [word.text for word in command.arguments[1::2]] == ["4", "$TP", "$(TP)", "$(MISSING)"]


@pytest.mark.parametrize(
    ("script", "engines"),
    [
        ("vllm serve /models/x", "vllm"),
        ("exec python3 -m vllm.entrypoints.openai.api_server --model /models/x", "vllm"),
        ("trtllm-serve /models/x", "trtllm-serve"),
        ("mpirun -n 4 trtllm-serve x", "trtllm-serve"),
        ("command -v trtllm-serve || exit 1; exec trtllm-serve m --tp_size 4", "trtllm-serve"),
        ("python3 -m dynamo.sglang --tp 4", "dynamo.sglang"),
        ("python3 -m dynamo.frontend & exec python3 -m dynamo.trtllm", "dynamo.frontend dynamo.trtllm"),
    ],
)
def test_what_a_script_starts_is_recognised(script: str, engines: str) -> None:
    assert [command.engine for command in commands(script)] == engines.split()


@pytest.mark.parametrize(
    "script",
    [
        "python3 -m dynamo.planner",
        "echo vllm",
        "ls /models/vllm",
        "python3 -m pip install dynamo.trtllm",
        "command -v trtllm-serve",
        "which trtllm-serve && type trtllm-serve",
        "echo starting python3 -m dynamo.trtllm",
        "serve() { python3 -m dynamo.trtllm; }",
    ],
)
def test_what_starts_no_engine_is_none(script: str) -> None:
    assert commands(script) == []


def test_the_last_of_equal_flags_wins_and_an_abbreviation_is_undecided() -> None:
    flags = parse_flags((Word("--size"), Word("1"), Word("--size=2"), Word("--switch")))
    assert flags.value("--size") == "2"
    assert flags.value("--switch") is None
    assert flags.value("--absent") is None
    with pytest.raises(Undecided, match="may be short for --size-of-all"):
        flags.value("--size-of-all")


def test_a_flag_with_a_known_name_and_an_unknown_value_leaves_other_flags_readable() -> None:
    flags = parse_flags((Word("--a=", known=False), Word("--b"), Word("3")))
    assert flags.value("--b") == "3"
    with pytest.raises(Undecided, match="the value of --a is unknown"):
        flags.value("--a")


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab $'\"\\`(){};&|<>\n#=-:1"), max_size=40))
def test_any_script_is_read_or_undecided(script: str) -> None:
    try:
        read = len(commands(f"{script} python3 -m dynamo.trtllm {script}"))
    except Undecided:
        read = 0
    assert read >= 0


def test_a_variable_that_grows_beyond_what_a_process_can_be_given_is_unknown() -> None:
    (command,) = commands("A=x;" + "A=$A$A;" * 200 + "python3 -m dynamo.trtllm $A --tp 2")
    assert [word.known for word in command.arguments] == [False, True, True]


def test_what_a_supervisor_hands_to_several_shells_is_read_in_their_order() -> None:
    words = ["python3", "/opt/supervisor.py"]
    for name, tp in (("prefill", 2), ("decode", 4)):
        words += [name, "/bin/sh", "-c", f"export TP={tp} && exec python3 -m dynamo.trtllm --tp $TP", "--"]
    found = start_commands(words, {})
    assert [command.flags.value("--tp") for command in found] == ["2", "4"]
    assert [command.environment["TP"] for command in found] == [Word("2"), Word("4")]


# The engine files that a script writes before it starts the engine.
DOCUMENT = "tensor_parallel_size: $TP\n\\$TP"


@pytest.mark.parametrize(
    ("script", "content"),
    [
        (f"cat > /e.yaml <<'EOF'\n{DOCUMENT}\nEOF", f"{DOCUMENT}\n"),
        (f'cat <<"EOF" >/e.yaml\n{DOCUMENT}\nEOF', f"{DOCUMENT}\n"),
        (f"cat > /e.yaml <<EOF\n{DOCUMENT}\nEOF", "tensor_parallel_size: 4\n$TP\n"),
        ("cat > /e.yaml <<EOF && cd /tmp\na: 1\nEOF", "a: 1\n"),
        ('cat > /tmp/../e.yaml <<EOF >&2 2>/dev/null\na: "1"\nEOF', 'a: "1"\n'),
        ("tee /e.yaml <<EOF\na: 1\nEOF", None),
        ("cat <<EOF | tee /e.yaml > /dev/null\na: 1\nEOF", None),
        ("cat > /e.yaml <<EOF\na: 1\nEOF\ncat >> /e.yaml <<EOF\nb: 2\nEOF", None),
        ("cat > /e.yaml <<EOF\na: 1\nEOF\nchmod a+r /e.yaml; cat /e.yaml", "a: 1\n"),
        ("cat > /f.yaml <<A > /e.yaml <<B\na: 1\nA\nb: 2\nB", "b: 2\n"),
        ("cat > /e.yaml <<EOF\nEOF", ""),
        ("cat > /e.yaml <<EOF\n${SECRET}\nEOF", None),
        ("cat > /e.yaml <<EOF\n$(nvidia-smi)\nEOF", None),
        ("cat > /e.yaml <<EOF\na: 1\nEOF\nsed -i s/1/2/ /e.yaml", None),
        ("cat > /e.yaml <<EOF\na: 1\nEOF\necho b >> $SECRET", None),
        ("if true; then cat > /e.yaml <<EOF\na: 1\nEOF\nfi", None),
        ("cat >> /e.yaml <<EOF\na: 1\nEOF", None),
        ("envsubst > /e.yaml <<EOF\na: 1\nEOF", None),
        ("echo a > /e.yaml", None),
    ],
)
def test_a_file_that_the_script_writes_holds_what_a_shell_would_write(
    script: str, content: str | None
) -> None:
    (command,) = commands(f"{script}\nexec python3 -m dynamo.trtllm --extra-engine-args /e.yaml")
    found = command.files["/e.yaml"]
    assert (found.text if found.known else None) == content
    assert [word.text for word in command.arguments] == ["--extra-engine-args", "/e.yaml"]


def test_a_relative_file_is_another_one_after_cd() -> None:
    (command,) = commands("cat > ./e.yaml <<EOF\na: 1\nEOF\ncd /x && python3 -m dynamo.trtllm")
    assert not command.files["e.yaml"].known
