"""Words of a command line, which may be known in part only."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_KUBERNETES_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_.][A-Za-z0-9_.-]*)\)")


@dataclass(frozen=True, slots=True)
class Word:
    """One word. Where it is not known, `text` is what stands before the first unknown part."""

    text: str
    known: bool = True

    def __add__(self, other: "Word") -> "Word":
        if not self.known:
            return self
        return Word(self.text + other.text, other.known)


UNKNOWN_WORD: Final = Word("", known=False)

Environment = Mapping[str, Word]


def expand_references(text: str, environment: Environment) -> Word:
    """Replace Kubernetes' `$(NAME)`; `$$` stands for a dollar sign and an undefined name stays as it is.

    https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
    """
    word = Word("")
    end = 0
    for match in _KUBERNETES_REFERENCE.finditer(text):
        word += Word(text[end : match.start()])
        end = match.end()
        name = match.group(1)
        if name is None:
            word += Word("$")
        else:
            word += environment.get(name, Word(match.group(0)))
    return word + Word(text[end:])


def expand_script_references(script: str, environment: Environment) -> str:
    """The same for a shell script; a reference to an unknown value stays for the shell's reader to meet."""

    def replacement(match: re.Match[str]) -> str:
        name = match.group(1)
        if name is None:
            return "$"
        word = environment.get(name, UNKNOWN_WORD)
        return word.text if word.known else match.group(0)

    return _KUBERNETES_REFERENCE.sub(replacement, script)
