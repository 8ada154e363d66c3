"""What a person reads when a command cannot go on."""


class CommandError(Exception):
    """The command ends here; the text says what happened and what to type."""
