"""Environment variables of a worker, as its engine sees them."""

from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided


def variable(worker: Worker, name: str) -> str | None:
    """The value of a variable; None where nobody sets it.

    Raises:
        Undecided: it is set to something unknown.
    """
    # What a start script exports counts as well, and more.
    environment = worker.commands[0].environment if worker.commands else worker.environment
    word = environment.get(name)
    if word is None:
        return None
    if not word.known:
        raise Undecided(f"the value of the variable {name} is unknown")
    return word.text
