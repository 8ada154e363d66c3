"""Files that a start script writes before it starts its engine: `cat > engine.yaml <<EOF`."""

import posixpath
from collections.abc import Mapping, Sequence

from rules.reading.commands.words import UNKNOWN_WORD, RawCommand, Word

Files = Mapping[str, Word]
"""Path, as the script writes it -> what stands in the file; unknown where something may have changed it."""

# What is given a file's name and leaves the file as it is.
_READERS = frozenset({"cat", "chmod", "chown", "echo", "grep", "head", "ls", "printf", "test", "[", "[["})


class WrittenFiles:
    """What a script has written so far."""

    def __init__(self) -> None:
        self.by_path: Files = {}
        self._piped: Word | None = None

    def after(self, words: Sequence[Word], command: RawCommand, *, certain: bool) -> None:
        """Take in what a command does.

        Args:
            words: the program and its arguments, without variables before them.
            command: the same with its redirections.
            certain: no branch and no loop decides whether it runs.
        """
        program = posixpath.basename(words[0].text) if words[0].known else ""
        given = self._piped if command.separator == "|" else command.here_document
        self._piped = None
        changed: dict[str, Word] = {}
        operands = [word for word in words[1:] if not word.known or not word.text.startswith("-")]
        if program == "cd":
            changed = {path: UNKNOWN_WORD for path in self.by_path if not path.startswith("/")}
        elif program not in _READERS:
            changed = {path: UNKNOWN_WORD for path in map(_path, operands) if path in self.by_path}
        passed_on = UNKNOWN_WORD if given is None else given
        if program == "tee":
            appends = any(word.text in {"-a", "--append"} for word in words[1:])
            changed |= {_path(word): self._content(_path(word), passed_on, appends) for word in operands}
        elif program != "cat" or operands:
            passed_on = UNKNOWN_WORD
        if command.output is None:
            self._piped = passed_on
        else:
            path = _path(command.output.path)
            changed[path] = self._content(path, passed_on, command.output.appends)
        if "" in changed:
            # It writes to a file whose name nobody knows, which may be any.
            changed = dict.fromkeys({*self.by_path, *changed} - {""}, UNKNOWN_WORD)
        if changed:
            known = changed if certain else dict.fromkeys(changed, UNKNOWN_WORD)
            self.by_path = {**self.by_path, **known}

    def _content(self, path: str, added: Word, appends: bool) -> Word:
        # What was there before may have come with the image.
        return self.by_path.get(path, UNKNOWN_WORD) + added if appends else added


def _path(word: Word) -> str:
    return posixpath.normpath(word.text) if word.known else ""
