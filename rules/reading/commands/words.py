"""Words of a container's command line and variables, with Kubernetes' references replaced."""

import re
from collections.abc import Sequence

from engines.command_line import LONGEST_WORD, UNKNOWN_WORD, Environment, Word
from rules.reading.shapes import Undecided

_BEGINNING = 200
_KUBERNETES_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_.][A-Za-z0-9_.-]*)\)")


def expand_references(text: str, environment: Environment) -> Word:
    """Replace Kubernetes' `$(NAME)`; `$$` stands for a dollar sign and an undefined name stays as it is.

    https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
    """
    if "$" not in text:
        return Word(text) if len(text) <= LONGEST_WORD else Word(text[:_BEGINNING], known=False)
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


def expand_words(words: Sequence[str | None], environment: Environment) -> tuple[Word, ...]:
    """The words of a whole command line; None stands for a word that is known later."""
    return tuple(UNKNOWN_WORD if word is None else expand_references(word, environment) for word in words)


def expand_script_references(script: str, environment: Environment) -> str:
    """The text of a shell script; a reference to an unknown value stays for the shell's reader to meet."""
    known = {name: word for name, word in environment.items() if word.known}
    word = expand_references(script, known)
    if not word.known:
        raise Undecided(f"the start script has more than {LONGEST_WORD:,} characters")
    return word.text
