"""`python -m lab`: the commands behind the Makefile's targets."""

import sys

from lab.interruption import end_when_interrupted


def main() -> int:
    """Runs a command, and takes Ctrl-C from the first second on, in which its modules are loaded."""
    end_when_interrupted()
    from lab.commands import main as run  # noqa: PLC0415 - loading it takes a second or two

    return run()


if __name__ == "__main__":
    sys.exit(main())
