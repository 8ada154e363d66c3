"""The errors of a command that cannot go on."""


class CommandError(Exception):
    """The command ends here; the text says what happened and what to type."""


class NotAllowed(CommandError):  # noqa: N818 - the account's limit, and no fault of what is asked
    """This account may not open the way to what it asks, which says nothing of what is there."""
