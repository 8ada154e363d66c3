"""The engine files that a container's start script writes before it starts the engine."""

import pytest

from tests.rules.start_scripts import commands

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
