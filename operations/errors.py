"""The error of a command that cannot go on."""


class CommandError(Exception):
    """The command ends here; the text says what happened and what to type."""
